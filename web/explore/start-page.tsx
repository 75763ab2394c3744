// Where exploring begins: the search, the last places, and three that are worth a look.

import { Page } from '../components/page.tsx';
import { Part } from '../components/parts.tsx';
import { PaidBy } from './consent.tsx';
import type { Paying } from './paying.ts';
import type { RecentPlace } from './recent.ts';
import { PlaceLinks, PlaceSearch, RecentPlaces } from './search.tsx';
import { town } from './town.ts';

/** Of those that every installation brings along. */
const bundled: readonly RecentPlace[] = [
  { slug: 'NP10-8WA', title: 'NP10 8WA', what: 'Duffryn in Newport: crime, schools, buses' },
  { slug: 'PO33-2RX', title: 'PO33 2RX', what: 'Ryde on the Isle of Wight: sold prices' },
  { slug: 'LE15-6QU', title: 'LE15 6QU', what: 'Oakham in Rutland: a market town' },
];

const ofTown: readonly RecentPlace[] = ['ZZ1 1AA', 'ZZ3 1AA', 'ZZ4 1AA'].flatMap((postcode) =>
  town
    .filter(({ place }) => place.postcode === postcode)
    .map(({ place: { slug, title }, what }) => ({ slug, title, what })),
);

export function StartPage({ paying, choose }: { readonly paying: Paying; readonly choose: () => void }) {
  const isReal = paying.kind === 'payer' || paying.kind === 'to be asked';
  return (
    <Page
      title="Explore a place"
      lead="Type a postcode. See what homes sold for, what the police recorded, what council tax costs, and what is around the corner."
    >
      <PlaceSearch label="Postcode or place" paying={paying} />
      <PaidBy paying={paying} choose={choose} />
      <RecentPlaces />
      <Part
        title="Worth a look"
        lead={
          isReal
            ? 'Three real places that come with every installation.'
            : 'A made-up town, with every kind of answer that real places have.'
        }
      >
        <div class="worth-a-look">
          {paying.kind === 'finding' ? null : <PlaceLinks places={isReal ? bundled : ofTown} />}
        </div>
      </Part>
      <Part title="What this is">
        <ul class="what-this-is">
          <li>Every figure is an answer of the API. “This call” under each panel shows the request.</li>
          <li>
            The figures come from files that official publishers put out. Each panel names its source and its
            day.
          </li>
          <li>Where something is not known, the panel says so, and why.</li>
        </ul>
      </Part>
    </Page>
  );
}
