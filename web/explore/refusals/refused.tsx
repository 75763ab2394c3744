// What stands where an answer should be: that it is on its way, that it waits for a limit, or why there is none and what to do.

import type { ApiRefusal } from '../../api/refusal.ts';
import { isOfFilter } from '../../api/refusal-words.ts';
import { Button, LinkButton } from '../../components/button.tsx';
import { Loading, Notice, Placeholder } from '../../components/notice.tsx';
import { monthText } from '../../formats.ts';
import type { CalledTogether } from '../calls/use-call.ts';
import { usePayer } from '../payer.ts';
import { useMissing } from '../use-coverage.ts';
import { limitEnd } from './limit.ts';

type UnansweredWish = {
  /** One call, or all of a page. */
  readonly called: CalledTogether;
  /** "Loading the comparison", where no heading says so. */
  readonly what?: string;
  readonly lines: number;
};

export const limitReached = 'Not shown for now.';

/** Nothing where it is answered. */
export function Unanswered({ called, what = 'Loading', lines }: UnansweredWish) {
  if (called.kind === 'answered') return null;
  if (called.kind === 'loading') return <Loading lines={lines} what={what} />;
  switch (limitEnd(called)) {
    case 'soon':
      return <Placeholder state="waiting" words="Waiting…" lines={lines} />;
    case 'later':
      return <p class="nothing">{limitReached}</p>;
  }
  if (called.terminated !== undefined)
    return (
      <p class="nothing">
        Not known of this postcode, which Royal Mail withdrew in {monthText(called.terminated)}.
      </p>
    );
  return called.dataset === undefined ? (
    <Refused refusal={called} again={called.again} />
  ) : (
    <NotLoaded refusal={called} dataset={called.dataset} />
  );
}

type RefusedWish = { readonly refusal: ApiRefusal; readonly again: () => Promise<void> };

function Refused({ refusal, again }: RefusedWish) {
  const { code, message } = refusal;
  return (
    <Notice tone="warning" title={titleOf(refusal)}>
      <p>{message}</p>
      <WhatToDo code={code} />
      {isLasting(refusal) ? null : (
        <p>
          <Button size="small" onPress={again}>
            Try again
          </Button>
        </p>
      )}
      <ForSupport refusal={refusal} />
    </Notice>
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
      <ForSupport refusal={refusal} />
    </Notice>
  );
}

/** By what whoever runs the service finds it. */
function ForSupport({ refusal: { code, requestId } }: { readonly refusal: ApiRefusal }) {
  return (
    <p class="for-support">
      For support: {code === 'UNREACHABLE' ? code : <a href={`/docs/errors/${code}`}>{code}</a>}
      {requestId === null ? null : `, request ${requestId}`}
    </p>
  );
}

const titleOf = ({ code, reason = code }: ApiRefusal): string =>
  titles[reason] ?? titles[code] ?? (isOfFilter(code) ? 'A filter does not fit' : 'This could not be loaded');

/** By reason or code. */
const titles: Readonly<Record<string, string>> = {
  LIST_NOT_LOADED: 'No list of homes',
  LIST_PARTIAL: 'Only a part of the list of homes',
  COUNCIL_TAX_NOT_FOUND: 'No council tax is known here',
  INSUFFICIENT_CREDITS: 'The account has no credits left',
  UNREACHABLE: 'No answer',
  POSTCODE_NOT_FOUND: 'Not for this postcode',
  NO_CRIME_DATA: 'No police data here',
};

/** The same question has the same answer. */
const lasting: ReadonlySet<string> = new Set([
  'POSTCODE_NOT_FOUND',
  'COUNCIL_TAX_NOT_FOUND',
  'NO_CRIME_DATA',
  'INVALID_POSTCODE',
  'PROPERTY_LEVEL_COUNTRY_UNSUPPORTED',
]);

export const isLasting = ({ code }: ApiRefusal): boolean => lasting.has(code) || isOfFilter(code);

function WhatToDo({ code }: { readonly code: string }) {
  const payer = usePayer();
  if (isOfFilter(code)) return <p>Change it among the filters, or clear the filters.</p>;
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
