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
  return (
    <Page
      title="Explore a place"
      lead="Type a postcode. See what homes sold for, what the police recorded, what council tax costs, and what is around the corner."
    >
      <PlaceSearch label="Postcode or place" paying={paying} />
      <PaidBy paying={paying} choose={choose} />
      {/* Before it is known who pays, all of it would stand elsewhere. */}
      {paying.kind === 'finding' ? null : (
        <>
          <RecentPlaces />
          <WorthALook of={paying.kind === 'nobody' ? 'the made-up town' : 'real places'} />
          <WhatThisIs />
        </>
      )}
    </Page>
  );
}

const worthALook = {
  'real places': { lead: 'Three real places that come with every installation.', places: bundled },
  'the made-up town': {
    lead: 'A made-up town, with every kind of answer that real places have.',
    places: ofTown,
  },
};

function WorthALook({ of }: { readonly of: keyof typeof worthALook }) {
  const { lead, places } = worthALook[of];
  return (
    <Part title="Worth a look" lead={lead}>
      <PlaceLinks places={places} />
    </Part>
  );
}

const WhatThisIs = () => (
  <Part title="What this is">
    <ul class="what-this-is">
      <li>Every figure is an answer of the API. “This call” under each panel shows the request.</li>
      <li>
        The figures come from files that official publishers put out. Each panel names its source and its day.
      </li>
      <li>Where something is not known, the panel says so, and why.</li>
    </ul>
  </Part>
);
