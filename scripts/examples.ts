// What the fictional town answers to the example call of each endpoint, for data/examples.json: the examples in OpenAPI and at
// /docs. test/promises/examples.test.ts asks a whole service for the same.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureSandbox } from '../src/cli/bundled/bundled.ts';
import { readSettings } from '../src/config.ts';
import type { Context, Endpoint } from '../src/contract/endpoint.ts';
import { type ExampleAnswers, exampleParams } from '../src/contract/examples.ts';
import { Gate } from '../src/http/admit.ts';
import { ownAccount } from '../src/http/own-account.ts';
import { openLedger } from '../src/ledger/open.ts';
import { openHome } from '../src/release/store.ts';
import { layouts } from '../src/tables/index.ts';
import { londonToday } from '../src/uk/calendar.ts';

/** When the examples are asked for, so that those that look back from today stay the same: the noon of test/rig.ts, later than
 *  anything in the town's files. */
const atMs = Date.UTC(2026, 10, 15, 12, 0, 10);

/** How long a look-up took is of the call, not of the data. */
const timed = /"executionTime":[\d.]+/;

export async function exampleAnswers(endpoints: readonly Endpoint[]): Promise<ExampleAnswers> {
  const home = mkdtempSync(path.join(tmpdir(), 'domesday-examples-'));
  try {
    await ensureSandbox(home, atMs);
    const { ledger, accounts } = await openLedger({ home });
    await accounts.openPublicSandbox(atMs);
    const address = '198.51.100.1';
    const gate = new Gate(ledger, readSettings({}, {}));
    const admission = await ledger.admitVisitor(gate.visitorOf(address, undefined), atMs);
    if (admission.kind !== 'admitted') throw new Error('The public sandbox key is not admitted.');
    const { caller } = admission;
    const asking = { caller, address: () => address, fetchSite: undefined, atMs };
    const context = {
      release: openHome(home, layouts).sandbox.openCurrent(),
      today: londonToday(atMs),
      account: ownAccount({ gate, ledger, accounts }, asking),
    };
    const answers: [path: string, answer: unknown][] = [];
    for (const endpoint of endpoints) answers.push([endpoint.path, await answerTo(endpoint, context)]);
    await ledger.close();
    return Object.fromEntries(answers);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function answerTo(endpoint: Endpoint, context: Context): Promise<unknown> {
  const params = (exampleParams(endpoint, 'sandbox') ?? []).map(([name, value]) => [name, String(value)]);
  const prepared = endpoint.prepare(new URLSearchParams(params));
  const outcome = prepared.kind === 'refused' ? prepared : await prepared.run(context);
  if (outcome.kind === 'answered') return JSON.parse(outcome.json.replace(timed, '"executionTime":0.18'));
  const why = outcome.kind === 'refused' ? (outcome.message ?? outcome.code) : outcome.kind;
  throw new Error(`The fictional town does not answer the example call of ${endpoint.path}: ${why}`);
}
