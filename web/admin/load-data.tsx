// Loading data from the page: what it takes, one press, and what the update says while it runs.

import { useEffect } from 'preact/hooks';
import { ask, type Told } from '../ask.ts';
import { Confirm, DialogButton } from '../components/dialog.tsx';
import { Badge, Code, Part } from '../components/parts.tsx';
import { momentText } from '../formats.ts';

type Data = Told<'GET /portal/admin/data'>;

const lookEveryMs = 3_000;

export function LoadData({
  data: { loading, mayLoad },
  again,
}: {
  readonly data: Data;
  readonly again: () => Promise<void>;
}) {
  const isRunning = loading?.state === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(again, lookEveryMs);
    return () => clearInterval(timer);
  }, [isRunning, again]);
  if (mayLoad !== 'yes')
    return (
      <Part title="Load data">
        <p>This service is a replica: it follows what is published and loads nothing itself.</p>
      </Part>
    );
  return (
    <Part
      title="Load data"
      lead="Fetches from the publishers what is new, and loads it as one release. The service answers meanwhile."
    >
      <div class="stack">
        {isRunning ? null : <UpdateNow again={again} />}
        {loading === null ? null : (
          <>
            <p role="status">
              <Badge tone={isRunning ? 'good' : 'plain'}>{isRunning ? 'running' : 'ended'}</Badge> begun{' '}
              {momentText(loading.startedAtMs)}
            </p>
            {loading.lines.length === 0 ? null : (
              <Code text={loading.lines.join('\n')} label="What the update says" />
            )}
          </>
        )}
      </div>
    </Part>
  );
}

const UpdateNow = ({ again }: { readonly again: () => Promise<void> }) => (
  <DialogButton words="Update now">
    {(close) => (
      <Confirm
        title="Update the data"
        submit="Update now"
        look="primary"
        onSend={() => ask('POST /portal/admin/data/update', {})}
        onDone={again}
        onClose={close}
      >
        <p>
          The first time this fetches about 12 GB and takes 14 GB of disk and 3 GB of memory. Data whose terms
          nobody has accepted (DOMESDAY_ACCEPT_LICENCES) is left out.
        </p>
      </Confirm>
    )}
  </DialogButton>
);
