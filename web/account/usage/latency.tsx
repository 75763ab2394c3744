// How fast the server answered, by endpoint.

import { Answered, EmptyState } from '../../components/notice.tsx';
import { Part } from '../../components/parts.tsx';
import { Table } from '../../components/table.tsx';
import { millisecondsText, numberText } from '../../formats.ts';
import { useAsk } from '../../use-ask.ts';

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
                {
                  title: 'Requests',
                  kind: 'number',
                  by: ({ requests }) => requests,
                  cell: ({ requests }) => numberText(requests),
                },
                {
                  title: 'Half within',
                  kind: 'number',
                  by: ({ p50 }) => p50,
                  cell: ({ p50 }) => millisecondsText(p50),
                },
                {
                  title: '95% within',
                  kind: 'number',
                  by: ({ p95 }) => p95,
                  cell: ({ p95 }) => millisecondsText(p95),
                },
                {
                  title: '99% within',
                  kind: 'number',
                  by: ({ p99 }) => p99,
                  cell: ({ p99 }) => millisecondsText(p99),
                },
              ]}
            />
          )
        }
      </Answered>
    </Part>
  );
}
