// How old the data is, whether updates work, and which releases there are.

import type { DatasetAge, ReleaseRow } from '../../src/portal/views.ts';
import type { Told } from '../ask.ts';
import { Answered, EmptyState, Notice } from '../components/notice.tsx';
import { Badge, Code, Figures, Part } from '../components/parts.tsx';
import { type Column, Table } from '../components/table.tsx';
import { countText, dateText, momentText, sinceText, spanText } from '../formats.ts';
import { useAsk } from '../use-ask.ts';
import { LoadData } from './load-data.tsx';
import { OperatorPage } from './operator-page.tsx';

type Data = Told<'GET /portal/admin/data'>;

export function DataPage() {
  const asked = useAsk('GET /portal/admin/data', {});
  return (
    <OperatorPage title="Data" lead="How old the data is, and whether updates work.">
      <Answered of={asked} lines={12}>
        {(data) => (
          <>
            <Failing data={data} />
            <Updates data={data} />
            <LoadData data={data} again={asked.again} />
            <Datasets datasets={data.datasets} />
            <Releases releases={data.releases} />
          </>
        )}
      </Answered>
    </OperatorPage>
  );
}

const at = (instant: string): number => Date.parse(instant);

function Failing({ data: { datasets } }: { readonly data: Data }) {
  const failing = datasets.filter(({ failingSince }) => failingSince !== null);
  if (failing.length === 0) return null;
  return (
    <Notice tone="warning" title={`${countText(failing.length, 'dataset')} cannot be updated`}>
      <p>
        The service keeps what it has and tries again at the next update. If a reason stays the same for days,
        run this on its machine and read what it prints:
      </p>
      <Code text={`npx domesday update`} label="Command that updates" copy="the command" />
    </Notice>
  );
}

/** In a tile of a phone it breaks where a reader sees that it goes on. */
function MakeDaily() {
  return (
    <>
      DOMESDAY_
      <wbr />
      UPDATE=daily makes it daily
    </>
  );
}

function Updates({ data: { lastUpdate, nextUpdate, datasets } }: { readonly data: Data }) {
  const sample = datasets.filter(({ extent }) => extent === 'sample').length;
  const old = datasets.filter(({ age, extent }) => age === 'old' && extent !== 'sample').length;
  return (
    <Part title="Updates">
      <Figures
        figures={[
          {
            label: 'Last update',
            value: lastUpdate === null ? 'None yet' : sinceText(at(lastUpdate.at)),
            note: lastUpdate === null ? 'since this service started' : lastUpdate.result,
          },
          {
            label: 'Next update',
            value: nextUpdate === null ? 'By hand' : sinceText(at(nextUpdate)),
            note: nextUpdate === null ? <MakeDaily /> : momentText(at(nextUpdate)),
          },
          {
            label: 'Datasets',
            value: String(datasets.length),
            note:
              sample > 0
                ? `${sample} of them a sample`
                : old === 0
                  ? 'none of them old'
                  : `${old} of them old`,
          },
        ]}
      />
    </Part>
  );
}

/** Those that need somebody first. */
const urgency = ({ failingSince, age, extent }: DatasetAge): number =>
  failingSince !== null ? 0 : extent === 'sample' ? 1 : age === 'old' ? 2 : 3;

function Datasets({ datasets }: { readonly datasets: readonly DatasetAge[] }) {
  if (datasets.length === 0)
    return (
      <Part title="Datasets">
        <EmptyState title="No data is served yet">
          <p>
            The first release is being made or fetched. <a href="/admin/health">See its state under Health</a>
          </p>
        </EmptyState>
      </Part>
    );
  return (
    <Part title="Datasets">
      <Table
        caption="Datasets"
        narrow="lines"
        columns={columns}
        rows={datasets}
        keyOf={({ dataset }) => dataset}
        sorted={{ column: 'State', order: 'ascending' }}
      />
    </Part>
  );
}

const columns: readonly Column<DatasetAge>[] = [
  {
    title: 'Dataset',
    kind: 'name',
    by: ({ dataset }) => dataset,
    cell: ({ dataset, publisher }) => (
      <>
        {dataset}
        <span class="under">{publisher}</span>
      </>
    ),
  },
  { title: 'State', by: urgency, cell: (dataset) => <State dataset={dataset} /> },
  {
    title: 'As of',
    wordInLines: 'as of',
    by: ({ asOf }) => asOf ?? '',
    cell: ({ asOf, edition }) => (
      <>
        {asOf === null ? 'unknown' : <span class="time">{dateText(at(asOf))}</span>}
        {edition === null ? null : <span class="under">{edition}</span>}
      </>
    ),
  },
  {
    title: 'Loaded',
    wordInLines: 'loaded',
    by: ({ loadedAt }) => loadedAt ?? '',
    cell: ({ loadedAt }) =>
      loadedAt === null ? 'unknown' : <span class="time">{dateText(at(loadedAt))}</span>,
  },
];

function State({
  dataset: { failingSince, failingBecause, age, extent, asOf },
}: {
  readonly dataset: DatasetAge;
}) {
  if (failingSince !== null)
    return (
      <>
        <Badge tone="bad">failing for {spanText(at(failingSince))}</Badge>
        {failingBecause === null ? null : <span class="under wide">{failingBecause}</span>}
      </>
    );
  if (extent === 'sample')
    return (
      <>
        <Badge tone="warning">sample</Badge>
        <span class="under wide">A few places only: npx domesday update loads the country</span>
      </>
    );
  if (age === 'old' && asOf !== null)
    return (
      <>
        <Badge tone="warning">{spanText(at(asOf))} old</Badge>
        <span class="under wide">Look for a newer edition: npx domesday update</span>
      </>
    );
  return <Badge tone="good">{extent === 'complete' ? 'in order' : extent}</Badge>;
}

function Releases({ releases }: { readonly releases: readonly ReleaseRow[] }) {
  if (releases.length === 0) return null;
  return (
    <Part
      title="Releases"
      lead={
        <>
          To serve another one, run <code>npx domesday releases use ID</code>.
        </>
      }
    >
      <Table
        caption="Releases"
        narrow="lines"
        page={10}
        rows={releases}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Release',
            kind: 'name',
            cell: ({ id, isCurrent }) => (
              <>
                <code>{id}</code> {isCurrent ? <Badge tone="good">served</Badge> : null}
              </>
            ),
          },
          {
            title: 'Made',
            cell: ({ madeAt }) =>
              madeAt === null ? (
                <Badge tone="bad">damaged</Badge>
              ) : (
                <span class="time">{momentText(at(madeAt))}</span>
              ),
          },
        ]}
      />
    </Part>
  );
}
