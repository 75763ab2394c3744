// What the service has loaded, as it tells everybody: the newest day of three datasets, and all others in a table.

import { useEffect, useState } from 'preact/hooks';
import { Loading, Notice } from '../components/notice.tsx';
import { Badge, Figures, Part } from '../components/parts.tsx';
import { numberColumn, Table } from '../components/table.tsx';
import { countText, dayText } from '../formats.ts';

type Dataset = {
  readonly name: string;
  readonly title: string;
  readonly publisher: string;
  readonly asOf: string;
  readonly rows: number;
  readonly extent: 'complete' | 'partial' | 'sample' | 'fictional';
};

type Loaded =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'told'; readonly datasets: readonly Dataset[] }
  | { readonly kind: 'refused'; readonly message: string };

/** The first three of these that are loaded. */
const foremost = ['price-paid', 'crime', 'council-tax', 'postcodes', 'bank-rate', 'amenities'];

export function LoadedData() {
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'waiting' });
  useEffect(() => void readDatasets().then(setLoaded), []);
  return (
    <Part title="What is loaded here" lead="Each answer names its publisher and its date.">
      {content(loaded)}
    </Part>
  );
}

function content(loaded: Loaded) {
  switch (loaded.kind) {
    case 'waiting':
      return <Loading lines={4} what="Loading datasets" />;
    case 'refused':
      return <Notice tone="warning">{loaded.message}</Notice>;
    case 'told':
      return <Datasets datasets={loaded.datasets} />;
  }
}

function Datasets({ datasets }: { readonly datasets: readonly Dataset[] }) {
  const first = foremost.flatMap((name) => datasets.filter((dataset) => dataset.name === name)).slice(0, 3);
  return (
    <div class="stack">
      <Figures
        figures={first.map(({ title, asOf, rows, extent }) => ({
          label: title,
          value: dayText(asOf),
          note: extent === 'sample' ? 'sample' : countText(rows, 'row'),
        }))}
      />
      <details class="all-data">
        <summary>All {countText(datasets.length, 'dataset')}</summary>
        <Table
          caption="Loaded datasets"
          narrow="lines"
          rows={datasets}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Dataset', kind: 'name', cell: ({ title }) => title, by: ({ title }) => title },
            { title: 'Publisher', cell: ({ publisher }) => publisher, by: ({ publisher }) => publisher },
            {
              title: 'Newest day',
              inLines: 'beside the name',
              cell: ({ asOf }) => <span class="time">{dayText(asOf)}</span>,
              by: ({ asOf }) => asOf,
            },
            numberColumn('Rows', ({ rows }: Dataset) => rows),
            {
              title: 'Extent',
              cell: ({ extent }) => <Badge tone={extent === 'complete' ? 'good' : 'plain'}>{extent}</Badge>,
              by: ({ extent }) => extent,
            },
          ]}
        />
      </details>
    </div>
  );
}

async function readDatasets(): Promise<Loaded> {
  try {
    const response = await fetch('/api/v1/datasets');
    const body = await response.json();
    if (!response.ok) return { kind: 'refused', message: String(body?.error?.message ?? noAnswer) };
    return { kind: 'told', datasets: body.data.datasets };
  } catch (fault) {
    if (fault instanceof TypeError || fault instanceof SyntaxError)
      return { kind: 'refused', message: noAnswer };
    throw fault;
  }
}

const noAnswer = 'The service did not answer. Try again in a moment.';
