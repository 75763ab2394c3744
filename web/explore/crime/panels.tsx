// Crime around the place: how much, when, of what kind, and what became of it.

import type { Answers } from '../../api/answers.ts';
import { Chart } from '../../components/chart.tsx';
import { monthText, numberText } from '../../formats.ts';
import { OnRequest } from '../on-request.tsx';
import { Panel } from '../panel.tsx';
import type { PanelsWish, Place } from '../place.ts';
import { useCall } from '../use-call.ts';
import { Comparison } from './comparison.tsx';
import { gapWords, kindsOf, monthsInWords, monthsOf, periodWords } from './months.ts';
import { Outcomes } from './outcomes.tsx';
import { ShareBars } from './share-bars.tsx';

type Crime = Answers['/crime/by-postcode'];

export function CrimePanels({ place, beside }: PanelsWish) {
  if (beside === undefined) return <CrimePanel id="crime" title="Crime" place={place} />;
  return (
    <div class="side-by-side">
      <CrimePanel id="crime" title={`Crime, ${place.title}`} place={place} />
      <CrimePanel id="crime-beside" title={`Crime, ${beside.title}`} place={beside} />
    </div>
  );
}

type CrimePanelWish = { readonly id: string; readonly title: string; readonly place: Place };

function CrimePanel({ id, title, place: { postcode } }: CrimePanelWish) {
  // The map asks the same, so that both are one call.
  const called = useCall('/crime/by-postcode', { postcode, months: 12, points: 'true', limit: 2000 });
  return (
    <Panel id={id} title={title} called={called} room={{ desk: 1330, phone: 2010 }}>
      {(told) => (
        <div class="crime">
          <Lead told={told} />
          <ByMonth told={told} />
          <div class="kinds">
            <ByCategory told={told} />
            <Outcomes told={told} />
          </div>
          <OnRequest summary={`Compare with ${told.policeForce} and the nation`} cost={1}>
            {() => <Comparison postcode={postcode} />}
          </OnRequest>
        </div>
      )}
    </Panel>
  );
}

function Lead({ told }: { readonly told: Crime }) {
  return (
    <p class="lead-figure">
      <strong>{numberText(told.totalCrimes)}</strong>{' '}
      <span>
        {told.totalCrimes === 1 ? 'crime' : 'crimes'} within a mile of {told.postcode}, {periodWords(told)}.
        Published by {told.policeForce}.
      </span>
    </p>
  );
}

function ByMonth({ told }: { readonly told: Crime }) {
  const { months, totals, missing, partial } = monthsOf(told);
  return (
    <div class="by-month">
      <Chart
        title="Crimes by month"
        labels={months.map(monthText)}
        labelTitle="Month"
        series={[{ name: 'Crimes', values: totals }]}
        nullWords={() => gapWords}
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

function ByCategory({ told }: { readonly told: Crime }) {
  const { kinds, of } = kindsOf(told);
  const when = of === 'all months' ? 'all these months' : monthText(of);
  if (kinds.length === 0) return <p class="nothing">No crime was published here for this period.</p>;
  return (
    <div>
      <h3>By kind, {when}</h3>
      <ShareBars label={`Crimes by kind, ${when}`} bars={kinds} />
    </div>
  );
}
