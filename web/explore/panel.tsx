// A panel of the explorer: one answer of the API with its heading, what it lacks, where it comes from and the call that made it.
// While it is loading it takes the room it will need; where its call is refused it says so, and the other panels go on.

import type { ComponentChildren, ComponentType } from 'preact';
import type { ApiAnswer, ApiPath } from '../api/call.ts';
import { dayText } from '../formats.ts';
import { ThisCall } from './calls/this-call.tsx';
import type { Called } from './calls/use-call.ts';
import { type PanelsWish, type Place, pathOf, withText } from './place.ts';
import { isAwaited } from './refusals/limit.ts';
import { Unanswered } from './refusals/refused.tsx';
import { readCoverage } from './silence.ts';
import { type DatasetName, useCoverage } from './use-coverage.ts';

type PanelWish<Path extends ApiPath> = {
  /** Of the anchor: `crime`. */
  readonly id: string;
  readonly title: string;
  readonly called: Called<Path>;
  /** Other calls that made what it shows. */
  readonly also?: readonly Called<ApiPath>[];
  /** Those of its calls whose answers are in sight, where not all are. */
  readonly inSight?: readonly Called<ApiPath>[];
  /** Datasets that all its figures come from, where others only say where the place is. */
  readonly figuresFrom?: readonly DatasetName[];
  /** Pixels that it takes when it is there, about: kept free while it is loading. A phone has one column. */
  readonly room: { readonly desk: number; readonly phone: number };
  /** What is told above the content of what the answer lacks. `sample alone`: it shows a part of the answer, and tells by itself
   *  what that lacks. `nothing`: the content tells all of it. */
  readonly coverage?: 'all of it' | 'sample alone' | 'nothing';
  /** Filters and the like, in sight whatever became of the call. */
  readonly controls?: ComponentChildren;
  readonly children: (told: ApiAnswer<Path>['told'], answer: ApiAnswer<Path>) => ComponentChildren;
};

export function Panel<Path extends ApiPath>({
  id,
  title,
  called,
  also = [],
  inSight = [called, ...also],
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
      <div
        class="panel-room"
        style={
          isAwaited(called) ? { '--room-desk': `${room.desk}px`, '--room-phone': `${room.phone}px` } : {}
        }
      >
        <PanelContent called={called} coverage={coverage} figuresFrom={figuresFrom}>
          {children}
        </PanelContent>
      </div>
      <footer class="panel-foot">
        <Source calls={called.kind === 'answered' ? inSight : []} />
        <ThisCall calls={[called, ...also]} />
      </footer>
    </section>
  );
}

function PanelContent<Path extends ApiPath>({
  called,
  coverage,
  figuresFrom,
  children,
}: Pick<PanelWish<Path>, 'called' | 'children'> &
  Required<Pick<PanelWish<Path>, 'coverage'>> & {
    readonly figuresFrom: readonly DatasetName[] | undefined;
  }) {
  if (called.kind === 'refused' && called.terminated !== undefined)
    return (
      <p class="nothing">
        This needs a postcode that is in use: <a href={`#${withdrawnId}`}>see the notice above</a>.
      </p>
    );
  if (called.kind !== 'answered') return <Unanswered called={called} lines={6} />;
  return (
    <>
      {coverage === 'nothing' ? null : (
        <Lacking coverage={called.coverage} told={coverage} figuresFrom={figuresFrom} />
      )}
      {children(called.told, called)}
    </>
  );
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
        <p>
          From the bundled sample, which has only a few places. Whoever runs this service can load the
          country.
        </p>
      ) : null}
      {extents.includes('partial') && told === 'all of it' ? <p>Something is missing here{reasons}</p> : null}
      {extents.includes('none') ? <p>Nothing is known here{reasons}</p> : null}
    </div>
  );
}

export type HalfWish = Pick<PanelWish<ApiPath>, 'id' | 'title' | 'room'> & { readonly place: Place };

type HalvesWish = PanelsWish & {
  readonly id: string;
  readonly title: string;
  /** Of one place, and of each of two side by side. */
  readonly rooms: { readonly whole: HalfWish['room']; readonly half: HalfWish['room'] };
  readonly PanelOf: ComponentType<HalfWish>;
};

/** Of two places each has half of the page, on a phone too. */
export function InHalves({ place, beside, id, title, rooms, PanelOf }: HalvesWish) {
  if (beside === undefined) return <PanelOf id={id} title={title} place={place} room={rooms.whole} />;
  return (
    <div class="side-by-side in-halves">
      <PanelOf id={id} title={`${title}, ${place.title}`} place={place} room={rooms.half} />
      <PanelOf id={`${id}-beside`} title={`${title}, ${beside.title}`} place={beside} room={rooms.half} />
    </div>
  );
}

type OfFirstWish = {
  readonly place: Place;
  readonly beside: Place;
  /** Of the anchor, where the same is to be seen of the second place. */
  readonly id: string;
  /** "This map is of ZZ1 1AA alone." */
  readonly said: string;
  /** "that of ZZ3 1AA" */
  readonly sought: string;
};

/** Below the heading of what is shown of the first of two places alone. */
export function OfFirst({ place, beside, id, said, sought }: OfFirstWish) {
  return (
    <p class="of-first">
      {said} To see {sought}, <a href={`${pathOf(beside)}${withText(place)}#${id}`}>swap the places</a>.
    </p>
  );
}

/** Of the notice that a postcode was withdrawn. */
export const withdrawnId = 'withdrawn';

/** Keeps its line while nothing is known. */
function Source({ calls }: { readonly calls: readonly Called<ApiPath>[] }) {
  return <p class="source">{sourceWords(calls.filter((called) => called.kind === 'answered'))}</p>;
}

type Sourced = Pick<ApiAnswer<ApiPath>, 'source' | 'asOf'>;

/** Each publisher once. Of several datasets the service tells the date of the oldest. */
export function sourceWords(answers: readonly Sourced[]): string {
  const names = [...new Set(answers.flatMap(({ source }) => source?.split(', ') ?? []))];
  const [oldest, newer] = [...new Set(answers.flatMap(({ asOf }) => asOf ?? []))].sort();
  if (names.length === 0) return '';
  const isOne = names.length === 1 && newer === undefined;
  const date =
    oldest === undefined
      ? ''
      : isOne
        ? `, as of ${dayText(oldest)}`
        : `; the oldest is of ${dayText(oldest)}`;
  return `${names.length === 1 ? 'Source' : 'Sources'}: ${names.join(', ')}${date}`;
}
