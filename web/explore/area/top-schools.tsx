// The best rated schools around, with what the rating rests on.

import { type Column, Table } from '../../components/table.tsx';
import { dayText, distanceText } from '../../formats.ts';
import { type Statistics, withinWords } from './figures.ts';

type School = Statistics['schools']['topSchools'][number];

/** The answer has no more; whether there are others it does not say. */
const listedMost = 5;

type TopSchoolsWish = Pick<Statistics['schools'], 'topSchools' | 'basis'>;

export function TopSchools({ topSchools: schools, basis }: TopSchoolsWish) {
  if (schools.length === 0) return null;
  const isRated = schools.some(({ rating }) => rating !== null);
  const where = withinWords('topSchools', basis) ?? 'around';
  const first = schools.length < listedMost ? 'Schools' : `The first ${listedMost} of the schools`;
  const title = `${first} ${where}, ${isRated ? 'best rated first' : 'nearest first'}`;
  return (
    <div class="top-schools">
      <h4>{title}</h4>
      <Table
        caption={title}
        rows={schools}
        keyOf={({ urn, name, distanceKm }) => urn ?? `${name} ${distanceKm}`}
        narrow="lines"
        columns={[
          { title: 'School', kind: 'name', cell: ({ name }) => name },
          { title: 'Phase', cell: ({ phase }) => <span class="in-one-line">{phase}</span> },
          ...(isRated ? ratingColumns : []),
          {
            title: 'Distance',
            kind: 'number',
            inLines: 'beside the name',
            cell: ({ distanceKm }) => distanceText(1000 * distanceKm),
          },
        ]}
      />
    </div>
  );
}

/** Ofsted's names of its rules say nothing to parents. */
const frameworkWords: Readonly<Record<string, string>> = {
  OEIF: 'Ofsted’s grades until 2025',
  'Report card': 'report card, since November 2025',
  'Ungraded inspection': 'ungraded inspection',
};

const ratingColumns: readonly Column<School>[] = [
  {
    title: 'Rating',
    cell: ({ rating, framework }) =>
      rating === null ? (
        <span class="soft">not rated</span>
      ) : (
        <>
          {rating}
          {framework === null ? null : <span class="soft"> ({frameworkWords[framework] ?? framework})</span>}
        </>
      ),
  },
  {
    title: 'Inspected',
    cell: ({ inspectionDate }) =>
      inspectionDate === null ? null : (
        <span class="in-one-line">
          <span class="if-narrow">inspected </span>
          {dayText(inspectionDate)}
        </span>
      ),
  },
];
