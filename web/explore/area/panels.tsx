// The five objects of area statistics, each figure with its source.

import { crimeCall, statisticsCall } from '../calls/place-calls.ts';
import { useCall } from '../calls/use-call.ts';
import { type HalfWish, InHalves, Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import {
  comparedWords,
  type Figure,
  noPoint,
  type Statistics,
  subjects,
  titles,
  withoutPoint,
} from './figures.ts';
import { SourcedFigures } from './sourced-figures.tsx';
import { TopSchools } from './top-schools.tsx';

export const AreaPanels = (places: PanelsWish) => (
  <InHalves {...places} id="area" title="The area" rooms={rooms} PanelOf={AreaPanel} />
);

const rooms = { whole: { desk: 1900, phone: 2900 }, half: { desk: 2600, phone: 5400 } };

function AreaPanel({ id, title, place: { postcode }, room }: HalfWish) {
  const called = useCall(statisticsCall(postcode));
  // Its refusal tells.
  const crime = useCall(crimeCall(postcode));
  const isWithoutPoint = crime.kind === 'refused' && crime.reason === 'no-grid-reference';
  return (
    <Panel
      id={id}
      title={title}
      called={called}
      room={room}
      coverage={isWithoutPoint ? 'sample alone' : 'all of it'}
    >
      {(told) => (
        <div class="area">
          <p class="soft">
            {isWithoutPoint ? `${noPoint} ` : ''}Point at a figure or touch it to see its source and date.
          </p>
          {subjects.map(({ subject, figures }) => (
            <SubjectPart
              key={subject}
              id={`${id}-${subject}`}
              subject={subject}
              figures={isWithoutPoint ? withoutPoint(figures(told)) : figures(told)}
              told={told}
            />
          ))}
        </div>
      )}
    </Panel>
  );
}

type SubjectPartWish = {
  readonly id: string;
  readonly subject: keyof Statistics;
  readonly figures: readonly Figure[];
  readonly told: Statistics;
};

function SubjectPart({ id, subject, figures, told }: SubjectPartWish) {
  return (
    <section class="subject" aria-labelledby={id}>
      <h3 id={id}>{titles[subject]}</h3>
      <SourcedFigures figures={figures} basis={told[subject].basis} />
      <Beside subject={subject} told={told} />
    </section>
  );
}

/** What a subject has beside its figures. */
function Beside({ subject, told }: { readonly subject: keyof Statistics; readonly told: Statistics }) {
  switch (subject) {
    case 'crime':
      return told.crime.last12Months === null ? null : <p class="national">{comparedWords(told.crime)}</p>;
    case 'schools':
      return <TopSchools {...told.schools} />;
    default:
      return null;
  }
}
