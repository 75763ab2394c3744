// How fast the server answered, by endpoint.

import type { Told } from '../../ask.ts';
import { Answered, EmptyState } from '../../components/notice.tsx';
import { Part } from '../../components/parts.tsx';
import { numberColumn, Table } from '../../components/table.tsx';
import { millisecondsText } from '../../formats.ts';
import { useAsk } from '../../use-ask.ts';

type Row = Told<'GET /portal/accounts/:accountId/requests'>['latency'][number];

export function Latency({ accountId }: { readonly accountId: string }) {
  const asked = useAsk('GET /portal/accounts/:accountId/requests', { in: { accountId } });
  return (
    <Part
      title="Latency"
      lead="Measured by the server over the last 1,000 requests of the account. Time in the network comes on top."
    >
      <Answered of={asked} lines={4}>
        {({ latency }) =>
          latency.length === 0 ? (
            <EmptyState title="No requests yet" />
          ) : (
            <Table
              caption="Latency by endpoint"
              narrow="lines"
              rows={latency}
              keyOf={({ path }) => path}
              columns={[
                {
                  title: 'Endpoint',
                  kind: 'name',
                  by: ({ path }) => path,
                  cell: ({ path }) => <code>{path}</code>,
                },
                numberColumn('Requests', ({ requests }: Row) => requests),
                numberColumn('Half within', ({ p50 }: Row) => p50, millisecondsText),
                numberColumn('95% within', ({ p95 }: Row) => p95, millisecondsText),
                numberColumn('99% within', ({ p99 }: Row) => p99, millisecondsText),
              ]}
            />
          )
        }
      </Answered>
    </Part>
  );
}
