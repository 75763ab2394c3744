// A panel of the explorer: one answer of the API with its heading, what it lacks, where it comes from and the call that made it.
// While it is loading it takes the room it will need; where its call is refused it says so, and the other panels go on.

import type { ComponentChildren } from 'preact';
import type { ApiAnswer, ApiPath, ApiRefusal } from '../api/call.ts';
import { Button } from '../components/button.tsx';
import { Loading, Notice } from '../components/notice.tsx';
import { dayText } from '../formats.ts';
import { ThisCall } from './this-call.tsx';
import type { Called } from './use-call.ts';

type PanelWish<Path extends ApiPath> = {
  /** Of the anchor: `crime`. */
  readonly id: string;
  readonly title: string;
  readonly called: Called<Path>;
  /** Pixels that it takes when it is there, about. */
  readonly room: number;
  /** Filters and the like, in sight whatever became of the call. */
  readonly controls?: ComponentChildren;
  readonly children: (told: ApiAnswer<Path>['told'], answer: ApiAnswer<Path>) => ComponentChildren;
};

export function Panel<Path extends ApiPath>({
  id,
  title,
  called,
  room,
  controls,
  children,
}: PanelWish<Path>) {
  return (
    <section class="panel" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {controls}
      <div class="panel-room" style={{ minHeight: `${room}px` }}>
        <PanelContent called={called} title={title}>
          {children}
        </PanelContent>
      </div>
      <footer class="panel-foot">
        {called.kind === 'answered' ? <Source answer={called} /> : null}
        <ThisCall call={called.call} />
      </footer>
    </section>
  );
}

function PanelContent<Path extends ApiPath>({
  called,
  title,
  children,
}: Pick<PanelWish<Path>, 'called' | 'title' | 'children'>) {
  switch (called.kind) {
    case 'loading':
      return <Loading lines={6} what={`${title} is on its way`} />;
    case 'refused':
      return <Refused refusal={called} again={called.again} />;
    case 'answered':
      return (
        <>
          <Lacking coverage={called.coverage} />
          {children(called.told, called)}
        </>
      );
  }
}

/** What the answer lacks, in the words of X-Data-Coverage. */
function Lacking({ coverage }: { readonly coverage: string | null }) {
  if (coverage === null) return null;
  const [extent = '', ...why] = coverage.split('; ');
  return (
    <p class="lacking">
      {extent === 'sample' ? 'From the bundled sample, which covers only a few places.' : null}
      {extent === 'partial' ? `Not everything is known here: ${why.join('; ')}.` : null}
      {extent === 'none' ? `Nothing is known here: ${why.join('; ')}.` : null}
    </p>
  );
}

function Refused({ refusal, again }: { readonly refusal: ApiRefusal; readonly again: () => Promise<void> }) {
  return (
    <Notice tone="warning" title="This panel has no answer">
      <p>{refusal.message}</p>
      <p class="soft">
        <a href={`/docs/errors/${refusal.code}`}>{refusal.code}</a>
        {refusal.requestId === null ? null : ` · request ${refusal.requestId}`}
      </p>
      <p>
        <Button size="small" onPress={again}>
          Try again
        </Button>
      </p>
    </Notice>
  );
}

function Source<Path extends ApiPath>({ answer }: { readonly answer: ApiAnswer<Path> }) {
  if (answer.source === null) return null;
  return (
    <p class="source">
      {answer.source}
      {answer.asOf === null ? null : `, as of ${dayText(answer.asOf)}`}
    </p>
  );
}
