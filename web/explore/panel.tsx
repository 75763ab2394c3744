// A panel of the explorer: one answer of the API with its heading, what it lacks, where it comes from and the call that made it.
// While it is loading it takes the room it will need; where its call is refused it says so, and the other panels go on.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiAnswer, ApiPath } from '../api/call.ts';
import type { ApiRefusal } from '../api/refusal.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Loading, Notice } from '../components/notice.tsx';
import { countText, dayText } from '../formats.ts';
import { usePayer } from './payer.ts';
import { readCoverage } from './silence.ts';
import { ThisCall } from './this-call.tsx';
import type { Called } from './use-call.ts';
import { type DatasetName, useCoverage, useMissing } from './use-coverage.ts';

type PanelWish<Path extends ApiPath> = {
  /** Of the anchor: `crime`. */
  readonly id: string;
  readonly title: string;
  readonly called: Called<Path>;
  /** Other calls that made what it shows. */
  readonly also?: readonly Called<ApiPath>[];
  /** Datasets that all its figures come from, where others only say where the place is. */
  readonly figuresFrom?: readonly DatasetName[];
  /** Pixels that it takes when it is there, about: kept free while it is loading. */
  readonly room: number;
  /** `sample alone`: it shows a part of the answer, and tells by itself what that lacks. */
  readonly coverage?: 'all of it' | 'sample alone';
  /** Filters and the like, in sight whatever became of the call. */
  readonly controls?: ComponentChildren;
  readonly children: (told: ApiAnswer<Path>['told'], answer: ApiAnswer<Path>) => ComponentChildren;
};

export function Panel<Path extends ApiPath>({
  id,
  title,
  called,
  also = [],
  figuresFrom,
  room,
  coverage = 'all of it',
  controls,
  children,
}: PanelWish<Path>) {
  return (
    <section class="panel" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {controls}
      <div class="panel-room" style={{ minHeight: called.kind === 'loading' ? `${room}px` : '0' }}>
        <PanelContent called={called} title={title} coverage={coverage} figuresFrom={figuresFrom}>
          {children}
        </PanelContent>
      </div>
      <footer class="panel-foot">
        <Source called={called} />
        <ThisCall calls={[called, ...also]} />
      </footer>
    </section>
  );
}

function PanelContent<Path extends ApiPath>({
  called,
  title,
  coverage,
  figuresFrom,
  children,
}: Pick<PanelWish<Path>, 'called' | 'title' | 'children'> &
  Required<Pick<PanelWish<Path>, 'coverage'>> & {
    readonly figuresFrom: readonly DatasetName[] | undefined;
  }) {
  switch (called.kind) {
    case 'loading':
      return <Loading lines={6} what={`Loading ${title}`} />;
    case 'refused':
      return called.dataset === undefined ? (
        <Refused refusal={called} again={called.again} />
      ) : (
        <NotLoaded refusal={called} dataset={called.dataset} />
      );
    case 'answered':
      return (
        <>
          <Lacking coverage={called.coverage} told={coverage} figuresFrom={figuresFrom} />
          {children(called.told, called)}
        </>
      );
  }
}

/** What the answer lacks. */
function Lacking({
  coverage: ofAnswer,
  told,
  figuresFrom,
}: {
  readonly coverage: string | null;
  readonly told: 'all of it' | 'sample alone';
  readonly figuresFrom: readonly DatasetName[] | undefined;
}) {
  const coverage = useCoverage(ofAnswer, figuresFrom);
  if (coverage === null) return null;
  const { extents, why } = readCoverage(coverage);
  const reasons = why === '' ? '.' : `: ${why}.`;
  return (
    <div class="lacking">
      {extents.includes('sample') ? (
        <p>From the bundled sample, which has only a few places. Load the country to see everything.</p>
      ) : null}
      {extents.includes('partial') && told === 'all of it' ? <p>Something is missing here{reasons}</p> : null}
      {extents.includes('none') ? <p>Nothing is known here{reasons}</p> : null}
    </div>
  );
}

/** Asking again does not load it. */
function NotLoaded({ refusal, dataset }: { readonly refusal: ApiRefusal; readonly dataset: string }) {
  const [file] = useMissing(dataset)?.files ?? [];
  return (
    <Notice tone="warning" title="Not loaded on this service">
      <p>
        {refusal.message}{' '}
        {file === undefined ? null : (
          <>
            It comes from <a href={file.homepage}>{file.source}</a>.{' '}
          </>
        )}
        Whoever runs the service can load it.
      </p>
      <Told refusal={refusal} />
    </Notice>
  );
}

/** By what a developer finds it. */
function Told({ refusal: { code, requestId } }: { readonly refusal: ApiRefusal }) {
  return (
    <p class="soft">
      {code === 'UNREACHABLE' ? code : <a href={`/docs/errors/${code}`}>{code}</a>}
      {requestId === null ? null : ` · request ${requestId}`}
    </p>
  );
}

type RefusedWish = { readonly refusal: ApiRefusal; readonly again: () => Promise<void> };

/** Longer than that nobody watches a panel. */
const patienceSeconds = 90;

function Refused({ refusal, again }: RefusedWish) {
  const { code, message, retryAfterSeconds } = refusal;
  const comesBack =
    code === 'RATE_LIMITED' && retryAfterSeconds !== undefined && retryAfterSeconds <= patienceSeconds;
  return (
    <Notice tone="warning" title={titles[code] ?? 'This panel has no answer'}>
      <p>{message}</p>
      <Told refusal={refusal} />
      <WhatToDo code={code} />
      {comesBack ? (
        <AskedAgain seconds={retryAfterSeconds} again={again} />
      ) : lasting.has(code) ? null : (
        <p>
          <Button size="small" onPress={again}>
            Try again
          </Button>
        </p>
      )}
    </Notice>
  );
}

const titles: Readonly<Record<string, string>> = {
  RATE_LIMITED: 'Too many calls just now',
  INSUFFICIENT_CREDITS: 'The account has no credits left',
  UNREACHABLE: 'No answer',
  POSTCODE_NOT_FOUND: 'Not for this postcode',
  NO_CRIME_DATA: 'No police data here',
  INVALID_PARAMETER: 'A filter does not fit',
};

/** The same question has the same answer. */
const lasting: ReadonlySet<string> = new Set([
  'POSTCODE_NOT_FOUND',
  'NO_CRIME_DATA',
  'INVALID_POSTCODE',
  'INVALID_PARAMETER',
]);

function WhatToDo({ code }: { readonly code: string }) {
  const payer = usePayer();
  if (code === 'INVALID_PARAMETER') return <p>Change it among the filters, or clear the filters.</p>;
  if (code !== 'INSUFFICIENT_CREDITS') return null;
  return payer.kind === 'account' ? (
    <p>
      <LinkButton href="/account" size="small">
        Ask for a larger plan
      </LinkButton>
    </p>
  ) : (
    <p>Whoever runs this service can add credits; the made-up town stays free.</p>
  );
}

/** Waits as long as the service asks, in sight of the reader, and asks by itself. */
function AskedAgain({ seconds, again }: { readonly seconds: number; readonly again: () => Promise<void> }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    if (left === 0) {
      void again().then(() => setLeft(seconds));
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left, again, seconds]);
  return <p role="timer">{left === 0 ? 'Trying again…' : `Trying again in ${countText(left, 'second')}.`}</p>;
}

/** Keeps its line while nothing is known. */
function Source<Path extends ApiPath>({ called }: { readonly called: Called<Path> }) {
  if (called.kind !== 'answered' || called.source === null) return <p class="source"> </p>;
  return (
    <p class="source">
      Source: {called.source}
      {called.asOf === null ? null : `, as of ${dayText(called.asOf)}`}
    </p>
  );
}
