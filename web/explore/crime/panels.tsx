// Crime around the place: how much, when, of what kind, and what became of it. Two places have one scale and one order of kinds.

import type { Answers } from '../../api/answers.ts';
import { Chart } from '../../components/chart.tsx';
import { monthText, numberText } from '../../formats.ts';
import { crimeCall } from '../calls/place-calls.ts';
import { type Called, toldOf, useCall } from '../calls/use-call.ts';
import { OnRequest } from '../on-request.tsx';
import { Panel } from '../panel.tsx';
import type { PanelsWish, Place } from '../place.ts';
import { readCoverage } from '../silence.ts';
import { Comparison } from './comparison.tsx';
import {
  alongMonths,
  gapWords,
  kindsOf,
  monthsInWords,
  monthsOf,
  otherMonthsWords,
  periodWords,
} from './months.ts';
import { type Other, Outcomes } from './outcomes.tsx';
import { ShareBars } from './share-bars.tsx';

type Crime = Answers['/crime/by-postcode'];
type CrimeCalled = Called<'/crime/by-postcode'>;

export function CrimePanels({ place, beside }: PanelsWish) {
  return beside === undefined ? <OnePlace place={place} /> : <TwoPlaces here={place} there={beside} />;
}

function OnePlace({ place }: { readonly place: Place }) {
  const called = useCall(crimeCall(place.postcode));
  return <CrimePanel id="crime" title="Crime" place={place} called={called} other={undefined} />;
}

function TwoPlaces({ here, there }: { readonly here: Place; readonly there: Place }) {
  const [left, right] = [useCall(crimeCall(here.postcode)), useCall(crimeCall(there.postcode))];
  const [leftTold, rightTold] = [toldOf(left), toldOf(right)];
  const first = leftTold === undefined ? undefined : { title: here.title, told: leftTold };
  const second = rightTold === undefined ? undefined : { title: there.title, told: rightTold };
  // The scale of one is that of both.
  const isLoading = left.kind === 'loading' || right.kind === 'loading';
  const shown = (called: CrimeCalled): CrimeCalled =>
    isLoading ? { kind: 'loading', call: called.call, again: called.again } : called;
  return (
    <div class="side-by-side">
      <CrimePanel
        id="crime"
        title={`Crime, ${here.title}`}
        place={here}
        called={shown(left)}
        other={second === undefined ? undefined : { ...second, first: { title: here.title, side: 'this' } }}
      />
      <CrimePanel
        id="crime-beside"
        title={`Crime, ${there.title}`}
        place={there}
        called={shown(right)}
        other={first === undefined ? undefined : { ...first, first: { title: here.title, side: 'beside' } }}
      />
    </div>
  );
}

type CrimePanelWish = {
  readonly id: string;
  readonly title: string;
  readonly place: Place;
  readonly called: CrimeCalled;
  readonly other: Other | undefined;
};

function CrimePanel({ id, title, place: { postcode }, called, other }: CrimePanelWish) {
  return (
    <Panel
      id={id}
      title={title}
      called={called}
      room={{ desk: 1330, phone: 2010 }}
      coverage={lacksMonthsAlone(called) ? 'sample alone' : 'all of it'}
    >
      {(told) => (
        <div class="crime">
          <Lead told={told} other={other} />
          <ByMonth told={told} other={other} />
          <div class="kinds">
            <ByCategory told={told} other={other} />
            <Outcomes told={told} other={other} />
          </div>
          <OnRequest summary={`Compare with ${told.policeForce} and the nation`} cost={1}>
            {() => <Comparison postcode={postcode} />}
          </OnRequest>
        </div>
      )}
    </Panel>
  );
}

/** They stand below the chart. */
function lacksMonthsAlone(called: CrimeCalled): boolean {
  if (called.kind !== 'answered' || called.coverage === null) return false;
  const { missing, partial } = monthsOf(called.told);
  const own = Math.min(1, missing.length) + partial.length;
  return readCoverage(called.coverage).why.split('; ').length === own;
}

type PartWish = { readonly told: Crime; readonly other: Other | undefined };

function Lead({ told, other }: PartWish) {
  const otherMonths = other === undefined ? undefined : otherMonthsWords(told, other.told, other.title);
  return (
    <div>
      <p class="lead-figure">
        <strong>{numberText(told.totalCrimes)}</strong>{' '}
        <span>
          {told.totalCrimes === 1 ? 'crime' : 'crimes'} within a mile of {told.postcode}, {periodWords(told)}.
          Published by {told.policeForce}.
        </span>
      </p>
      {otherMonths === undefined ? null : (
        <p class="gap-words">{otherMonths} Compare months, not the totals.</p>
      )}
    </div>
  );
}

function ByMonth({ told, other }: PartWish) {
  const { months, totals, missing, partial } = monthsOf(told);
  const reach = Math.max(0, ...Object.values(other?.told.monthlyTotals ?? {}));
  return (
    <div class="by-month">
      <Chart
        title="Crimes by month"
        labels={months.map(monthText)}
        labelTitle="Month"
        along={alongMonths(months)}
        series={[{ name: 'Crimes', values: totals }]}
        reach={reach}
        nullWords={() => gapWords}
        hatchedBeside={isGapped(other) ? [gapWords] : []}
      />
      {missing.length === 0 ? null : (
        <p class="gap-words">
          Nothing usable was published for {monthsInWords(missing)}, or it is not loaded. The gap is not a
          zero: we do not know how many crimes there were.
        </p>
      )}
      {partial.length === 0 ? null : (
        <p class="gap-words">
          Only a part was published for {monthsInWords(partial)}: fewer than half of the usual number.
        </p>
      )}
    </div>
  );
}

const isGapped = (other: Other | undefined): boolean =>
  other !== undefined && monthsOf(other.told).totals.includes(null);

function ByCategory({ told, other }: PartWish) {
  const { kinds, of } = kindsOf(told);
  const when = of === 'all months' ? 'all these months' : monthText(of);
  if (kinds.length === 0) return <p class="nothing">No crime was published here for this period.</p>;
  const label = `Crimes by kind, ${when}`;
  const beside = other === undefined ? undefined : { bars: kindsOf(other.told).kinds, first: other.first };
  return (
    <div>
      <h3>By kind, {when}</h3>
      <ShareBars label={label} bars={kinds} beside={beside} />
    </div>
  );
}
