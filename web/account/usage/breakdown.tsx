// Usage of a period by endpoint, key or status: a table in which each row has its share as a bar.

import type { UsageRowView } from '../../../src/portal/views.ts';
import { LinkButton } from '../../components/button.tsx';
import { Answered } from '../../components/notice.tsx';
import { Part } from '../../components/parts.tsx';
import { numberColumn, Table } from '../../components/table.tsx';
import { numberText, percentText } from '../../formats.ts';
import { filePath } from '../here.ts';
import { type Part as PartName, type Sum, sumsOf } from './sums.ts';
import { useUsage } from './use-usage.ts';

const titles = { endpoint: 'Endpoint', key: 'Key', status: 'Status' } as const;

type BreakdownWish = {
  readonly accountId: string;
  readonly days: readonly string[];
  readonly part: PartName;
  readonly nameOf: (name: string) => string;
};

export function AskedBreakdown({ accountId, days, part, nameOf }: BreakdownWish) {
  const asked = useUsage({ accountId, days, by: part });
  return (
    <Answered of={asked} lines={6}>
      {({ rows }) => <Breakdown accountId={accountId} days={days} part={part} nameOf={nameOf} rows={rows} />}
    </Answered>
  );
}

/** `rows` may be of more parts than this one. */
export function Breakdown({
  accountId,
  days,
  part,
  nameOf,
  rows,
}: BreakdownWish & { readonly rows: readonly UsageRowView[] }) {
  const [from = '', to = ''] = [days[0], days.at(-1)];
  return (
    <Part
      title={`By ${part}`}
      actions={
        <LinkButton
          size="small"
          href={filePath(accountId, 'usage.csv', { from, to, by: part })}
          file={`usage-by-${part}-${from}-${to}.csv`}
        >
          CSV
        </LinkButton>
      }
    >
      <Shares part={part} sums={sumsOf(rows, part)} nameOf={nameOf} />
    </Part>
  );
}

type SharesWish = Pick<BreakdownWish, 'part' | 'nameOf'> & {
  readonly sums: readonly Sum[];
};

function Shares({ part, sums, nameOf }: SharesWish) {
  const calls = sums.reduce((total, sum) => total + sum.calls, 0);
  const most = Math.max(1, ...sums.map((sum) => sum.calls));
  return (
    <Table
      caption={`Usage by ${part}`}
      narrow="lines"
      rows={sums}
      keyOf={({ name }) => name}
      sorted={{ column: 'Calls', order: 'descending' }}
      page={20}
      columns={[
        {
          title: titles[part],
          kind: 'name',
          by: ({ name }) => nameOf(name),
          cell: ({ name }) => (part === 'endpoint' ? <code>{nameOf(name)}</code> : nameOf(name)),
        },
        {
          title: 'Calls',
          kind: 'number',
          inLines: 'beside the name',
          by: (sum) => sum.calls,
          cell: (sum) => (
            <>
              {numberText(sum.calls)}
              <span class="if-narrow"> {sum.calls === 1 ? 'call' : 'calls'}</span>
            </>
          ),
        },
        {
          title: 'Share',
          cell: (sum) => (
            <span class="usage-share">
              <span class="usage-bar" aria-hidden="true">
                <span style={{ width: `${(100 * sum.calls) / most}%` }} />
              </span>
              <span class="usage-words">{percentText(calls === 0 ? 0 : sum.calls / calls)}</span>
            </span>
          ),
        },
        numberColumn('Credits', (sum: Sum) => sum.credits),
      ]}
    />
  );
}
