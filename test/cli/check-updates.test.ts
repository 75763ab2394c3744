// `domesday check` and updates: what fails, since when and why; what is late by its own rhythm; and nothing where all is well.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../../src/cli/check.ts';
import { dayMs, hourMs } from '../../src/time.ts';
import { type Desk, openDesk } from '../update/desk.ts';
import { bikePointAddress } from '../update/editions.ts';

type Finding = {
  readonly level: string;
  readonly subject: string;
  readonly finding: string;
  readonly advice?: string;
};

/** Of updates and of what they fetched. */
async function findingsOf({ home, clock }: Desk): Promise<readonly Finding[]> {
  let out = '';
  const io = {
    env: {},
    out: (text: string) => {
      out += text;
    },
    err: () => {},
    isTerminal: false,
    now: () => clock.nowMs,
    asTyped: (text: string) => text,
  };
  await check.run(['--json', '--home', home], io).catch(() => {});
  const { findings }: { findings: readonly Finding[] } = JSON.parse(out);
  return findings.filter(
    ({ subject, finding }) => subject === 'updates' || /have failed since|is late/.test(finding),
  );
}

test('failing publications are told with since, why and what to do; a failed run as such; late ones by their rhythm', async (context) => {
  const desk = await openDesk(context, 'bikepoint', 'aadf');
  assert.deepEqual(await findingsOf(desk), []);
  assert.equal((await desk.update()).status, 0);
  const [well, ...others] = await findingsOf(desk);
  assert.deepEqual([well?.level, well?.subject, others], ['ok', 'updates', []]);

  desk.publishers.misbehave(bikePointAddress, (_, response) => response.writeHead(404).end());
  desk.clock.nowMs += hourMs;
  assert.equal((await desk.update('cycle-hire', 'traffic')).status, 3);
  const [run, failing, ...none] = await findingsOf(desk);
  assert.deepEqual([run?.level, failing?.level, none], ['warning', 'warning', []]);
  assert.match(run?.finding ?? '', /left 1 publication as it was/);
  assert.match(
    failing?.finding ?? '',
    /^Updates of bikepoint have failed since 2026-11-16, so its old data stays: .*api\.tfl\.gov\.uk/,
  );
  assert.match(failing?.advice ?? '', /`domesday update bikepoint`\. .* --address bikepoint=URL/);

  assert.equal((await desk.update('cycle-hire')).status, 1);
  assert.match((await findingsOf(desk))[0]?.finding ?? '', /failed\. All data stayed as it was/);

  desk.publishers.misbehaveNoMore();
  assert.equal((await desk.update('cycle-hire')).status, 0);
  desk.clock.nowMs += 900 * dayMs;
  const late = (await findingsOf(desk)).filter(({ finding }) => finding.includes('is late'));
  assert.match(
    late.map(({ finding }) => finding).join('\n'),
    /^road-traffic is late: the newest edition is of 2026-11-06/m,
  );
});
