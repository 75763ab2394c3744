// What became of the crimes of the newest month, as far as the police say.

import type { Answers } from '../../api/answers.ts';
import { Table } from '../../components/table.tsx';
import { monthText, numberText } from '../../formats.ts';
import { ShareBars } from './share-bars.tsx';

type Crime = Answers['/crime/by-postcode'];
type Category = Crime['crimeCategories'][number];

const noOutcome = 'No outcome published';

const told = (category: Category) => Object.values(category.outcomes).reduce((sum, count) => sum + count, 0);

export function Outcomes({ told: { crimeCategories, referenceMonth } }: { readonly told: Crime }) {
  const sums = new Map<string, number>();
  for (const category of crimeCategories) {
    for (const [label, count] of Object.entries(category.outcomes))
      sums.set(label, (sums.get(label) ?? 0) + count);
    const without = category.count - told(category);
    if (without > 0) sums.set(noOutcome, (sums.get(noOutcome) ?? 0) + without);
  }
  if (sums.size === 0) return null;
  const month = monthText(referenceMonth);
  return (
    <>
      <div>
        <h3>What happened next, {month}</h3>
        <ShareBars
          label={`Outcomes of the crimes of ${month}`}
          bars={Array.from(sums, ([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count)}
        />
      </div>
      <details class="by-outcome">
        <summary>Outcomes by kind of crime</summary>
        <Table
          caption={`Outcomes by kind of crime, ${month}`}
          rows={crimeCategories}
          keyOf={({ category }) => category}
          narrow="cards"
          columns={[
            { title: 'Kind', kind: 'name', cell: ({ displayName }) => displayName },
            {
              title: 'Crimes',
              kind: 'number',
              cell: ({ count }) => numberText(count),
              by: ({ count }) => count,
            },
            { title: 'Outcomes', cell: (category) => <OutcomeList category={category} /> },
          ]}
        />
      </details>
    </>
  );
}

function OutcomeList({ category }: { readonly category: Category }) {
  const without = category.count - told(category);
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
