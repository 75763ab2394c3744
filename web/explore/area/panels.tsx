// The five objects of area statistics, each figure with its source.

import { Panel } from '../panel.tsx';
import type { PanelsWish, Place } from '../place.ts';
import { roomFor } from '../room-for.ts';
import { useCall } from '../use-call.ts';
import { type Statistics, subjects, titles } from './figures.ts';
import { SourcedFigures } from './sourced-figures.tsx';
import { TopSchools } from './top-schools.tsx';

export function AreaPanels({ place, beside }: PanelsWish) {
  if (beside === undefined) return <AreaPanel id="area" title="The area" place={place} />;
  return (
    <div class="side-by-side">
      <AreaPanel id="area" title={`The area, ${place.title}`} place={place} />
      <AreaPanel id="area-beside" title={`The area, ${beside.title}`} place={beside} />
    </div>
  );
}

type AreaPanelWish = { readonly id: string; readonly title: string; readonly place: Place };

function AreaPanel({ id, title, place: { postcode } }: AreaPanelWish) {
  const called = useCall('/area/statistics', { postcode });
  return (
    <Panel id={id} title={title} called={called} room={roomFor({ desk: 1790, phone: 2900 })}>
      {(told) => (
        <div class="area">
          <p class="soft">Point at a figure or touch it to see its source and date.</p>
          {subjects.map(({ subject, figures }) => (
            <section class="subject" key={subject} aria-labelledby={`${id}-${subject}`}>
              <h3 id={`${id}-${subject}`}>{titles[subject]}</h3>
              <SourcedFigures figures={figures(told)} basis={told[subject].basis} />
              <Beside subject={subject} told={told} />
            </section>
          ))}
        </div>
      )}
    </Panel>
  );
}

/** What a subject has beside its figures. */
function Beside({ subject, told }: { readonly subject: keyof Statistics; readonly told: Statistics }) {
  switch (subject) {
    case 'crime':
      return told.crime.last12Months === null ? null : (
        <p class="national">{told.crime.comparedToNational}</p>
      );
    case 'schools':
      return <TopSchools schools={told.schools.topSchools} />;
    default:
      return null;
  }
}
