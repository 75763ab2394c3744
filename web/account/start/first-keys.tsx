// A new account's keys, told once, and the first call with them.

import { useEffect, useState } from 'preact/hooks';
import { curlText } from '../../api/call-text.ts';
import { ask, type Refusal } from '../../ask.ts';
import { LinkButton } from '../../components/button.tsx';
import { Tick } from '../../components/form.tsx';
import { ErrorPanel, Loading, Notice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { Code, Part } from '../../components/parts.tsx';
import { accountPath } from '../here.ts';
import { CallFromPage } from './call-from-page.tsx';
import { firstCall } from './calls.ts';

type Keys = { readonly live: string; readonly test: string };
/** What is made stays, whatever happens to the other: no key is told twice. */
type State = Partial<Keys> & { readonly refusal?: Refusal };

async function addMissing(accountId: string, { live, test }: State): Promise<State> {
  const make = (kind: 'live' | 'test') =>
    ask('POST /portal/accounts/:accountId/keys', {
      in: { accountId },
      takes: { kind, name: kind === 'live' ? 'First live key' : 'First test key' },
    });
  if (live === undefined) {
    const made = await make('live');
    if (made.kind === 'refused') return { refusal: made };
    return addMissing(accountId, { live: made.told.key });
  }
  if (test === undefined) {
    const made = await make('test');
    return made.kind === 'refused' ? { live, refusal: made } : { live, test: made.told.key };
  }
  return { live, test };
}

export function FirstKeys({ accountId, name }: { readonly accountId: string; readonly name: string }) {
  const [state, setState] = useState<State>({});
  const { live, test, refusal } = state;
  useEffect(() => void addMissing(accountId, {}).then(setState), [accountId]);
  return (
    <Page title="Your trial has begun" lead={`${name} has 100 credits. These are its first keys.`}>
      {refusal === undefined ? null : (
        <ErrorPanel refusal={refusal} again={async () => setState(await addMissing(accountId, state))} />
      )}
      {live === undefined && refusal === undefined ? <Loading lines={8} what="Making the keys" /> : null}
      {live === undefined ? null : <Shown accountId={accountId} live={live} test={test} />}
    </Page>
  );
}

type ShownWish = {
  readonly accountId: string;
  readonly live: string;
  readonly test: string | undefined;
};

function Shown({ accountId, live, test }: ShownWish) {
  const [kept, setKept] = useState<'on' | 'off'>('off');
  return (
    <>
      <Part
        title="1. Keep your keys"
        lead="This is the only time they are shown. Save them where you keep passwords."
      >
        <div class="stack told-keys">
          <div>
            <h3>Live key</h3>
            <p class="soft">Answers from the real data and spends credits.</p>
          </div>
          <Code text={live} label="Live key" copy="the live key" />
          {test === undefined ? null : (
            <>
              <div>
                <h3>Test key</h3>
                <p class="soft">Free. Answers from a made-up town, for tests and first steps.</p>
              </div>
              <Code text={test} label="Test key" copy="the test key" />
            </>
          )}
          <Tick label="I have saved them" value={kept} onValue={setKept} />
        </div>
      </Part>
      <Part title="2. Make the first call" lead="Paste this into a terminal; it costs 1 credit.">
        <div class="stack">
          <Code text={curlText(firstCall, live)} label="A call with curl" copy="the call" />
          <p>Or make it from here:</p>
          <CallFromPage accountId={accountId} testKey={test} onCalled={async () => {}} />
        </div>
      </Part>
      <Part
        title="3. See what happened"
        lead="Every call and every credit is on the dashboard a moment later."
      >
        {kept === 'on' ? null : (
          <Notice tone="info">
            <p>Save the keys first. When you leave this page, they are gone.</p>
          </Notice>
        )}
        <p class="after-form">
          <LinkButton href={accountPath(accountId)} look={kept === 'on' ? 'primary' : 'plain'}>
            Open the dashboard
          </LinkButton>
        </p>
      </Part>
    </>
  );
}
