// What became of the crimes of the newest month, as far as the police say.

import type { Answers } from '../../api/answers.ts';
import { Disclosure } from '../../components/disclosure.tsx';
import { numberColumn, Table } from '../../components/table.tsx';
import { monthText, numberText } from '../../formats.ts';
import type { Kind } from './months.ts';
import { type BesideBars, ShareBars } from './share-bars.tsx';

type Crime = Answers['/crime/by-postcode'];
type Category = Crime['crimeCategories'][number];

const noOutcome = 'No outcome published';

const known = (category: Category) => Object.values(category.outcomes).reduce((sum, count) => sum + count, 0);

/** The place on the other side. */
export type Other = {
  readonly title: string;
  readonly told: Crime;
  readonly first: BesideBars['first'];
};

type OutcomesWish = { readonly told: Crime; readonly other: Other | undefined };

export function Outcomes({ told, other }: OutcomesWish) {
  const bars = outcomesOf(told);
  if (bars.length === 0) return null;
  const month = monthText(told.referenceMonth);
  return (
    <>
      <div>
        <h3>What happened next, {month}</h3>
        <ShareBars
          label={`Outcomes of the crimes of ${month}`}
          bars={bars}
          beside={other === undefined ? undefined : besideOf(told, other)}
        />
      </div>
      <ByKind told={told} />
    </>
  );
}

const besideOf = ({ referenceMonth }: Crime, { title, told, first }: Other): BesideBars => ({
  bars: outcomesOf(told),
  first,
  note:
    told.referenceMonth === referenceMonth
      ? undefined
      : `These are of ${monthText(referenceMonth)}, those of ${title} of ${monthText(told.referenceMonth)}.`,
});

/** Most first. */
function outcomesOf({ crimeCategories }: Crime): readonly Kind[] {
  const sums = new Map<string, number>();
  for (const category of crimeCategories) {
    for (const [label, count] of Object.entries(category.outcomes))
      sums.set(label, (sums.get(label) ?? 0) + count);
    const without = category.count - known(category);
    if (without > 0) sums.set(noOutcome, (sums.get(noOutcome) ?? 0) + without);
  }
  return Array.from(sums, ([name, count]) => ({ slug: name, name, count })).sort((a, b) => b.count - a.count);
}

function ByKind({ told: { crimeCategories, referenceMonth } }: { readonly told: Crime }) {
  const title = `Outcomes by kind of crime, ${monthText(referenceMonth)}`;
  return (
    <Disclosure class="by-outcome" summary={title}>
      {() => (
        <Table
          caption={title}
          rows={crimeCategories}
          keyOf={({ category }) => category}
          narrow="cards"
          columns={[
            { title: 'Kind', kind: 'name', cell: ({ displayName }) => displayName },
            numberColumn('Crimes', ({ count }: Category) => count),
            { title: 'Outcomes', cell: (category) => <OutcomeList category={category} /> },
          ]}
        />
      )}
    </Disclosure>
  );
}

function OutcomeList({ category }: { readonly category: Category }) {
  const without = category.count - known(category);
  const listed = [
    ...Object.entries(category.outcomes),
    ...(without > 0 ? [[noOutcome, without] as const] : []),
  ];
  return (
    <ul class="outcomes">
      {listed.map(([label, count]) => (
        <li key={label}>
          {numberText(count)} <span class="soft">{label}</span>
        </li>
      ))}
    </ul>
  );
}
