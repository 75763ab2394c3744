// How the service itself is, looked at again while the page is open.

import { useEffect } from 'preact/hooks';
import type { Health } from '../../src/portal/views.ts';
import { Answered, Notice } from '../components/notice.tsx';
import { Figures, Terms } from '../components/parts.tsx';
import { bytesText, countText, millisecondsText } from '../formats.ts';
import { useAsk } from '../use-ask.ts';
import { OperatorPage } from './operator-page.tsx';

const lookEveryMs = 10_000;

export function HealthPage() {
  const asked = useAsk('GET /portal/admin/health', {});
  useEffect(() => {
    const timer = setInterval(asked.again, lookEveryMs);
    return () => clearInterval(timer);
  }, [asked.again]);
  return (
    <OperatorPage title="Health" lead="Of the process that answered this page, checked every 10 seconds.">
      <Answered of={asked} lines={8}>
        {(health) => <HealthOf health={health} />}
      </Answered>
    </OperatorPage>
  );
}

function HealthOf({ health }: { readonly health: Health }) {
  const { status, because, version, release, ledger, upSeconds, memoryBytes, eventLoopDelayMs } = health;
  return (
    <div class="stack">
      {status === 'ready' ? (
        <Notice tone="good" title="Ready: calls are answered" />
      ) : (
        <Notice tone="bad" title="Not ready: calls are not answered">
          {because === null ? null : <p>{because}</p>}
        </Notice>
      )}
      <Figures
        figures={[
          { label: 'Running for', value: durationText(upSeconds) },
          { label: 'Memory', value: bytesText(memoryBytes) },
          {
            label: 'Longest wait',
            value: millisecondsText(eventLoopDelayMs),
            note: 'of its event loop, since the last check',
          },
        ]}
      />
      <Terms
        terms={[
          ['Version', version],
          ['Release', release === null ? 'none yet' : <code>{release}</code>],
          ['Ledger', ledger],
        ]}
      />
      <p class="soft">
        Figures over time are at <a href="/metrics">/metrics</a> for Prometheus.
      </p>
    </div>
  );
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Its two largest units: "3 days 4 hours". */
function durationText(seconds: number): string {
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first === -1) return countText(seconds, 'second');
  let left = seconds;
  const words = units.slice(first, first + 2).flatMap(([unit, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? [] : [countText(count, unit)];
  });
  return words.join(' ');
}
