// A ledger as a service has it, in a process of its own that a test can kill: charges as fast as it can, has people
// sign up and change what is theirs, and tells what was acknowledged, refused, noticed.

import { createInterface, type Interface } from 'node:readline';
import { openLedger } from '../../../src/ledger/open.ts';
import { openPeople } from '../../../src/people/open.ts';
import { changePeople, changesOver, cheapHashes } from '../../people/changes.ts';

const [home = '', callerJson = '{}'] = process.argv.slice(2);
const caller = JSON.parse(callerJson);
const tell = (line: string) => process.stdout.write(`${line}\n`);

try {
  const { ledger, database, maintain } = await openLedger({
    home,
    ifMissing: 'refuse',
    tell: ({ level, message }) => tell(`${level} ${message}`),
  });
  maintain();
  let isRunning = true;
  const asks: Interface = createInterface({ input: process.stdin });
  asks.on('line', (line) => {
    if (line === 'stop') isRunning = false;
  });
  // A test that is ended from outside is not to leave it running.
  asks.on('close', () => {
    isRunning = false;
  });
  const people = openPeople({
    database,
    signUp: 'open',
    publicUrl: 'https://data.example.com',
    smtpUrl: undefined,
    mailFrom: undefined,
    now: Date.now,
    tell: () => undefined,
    passwordCost: cheapHashes,
  });
  const changes = changePeople({
    make: changesOver(people),
    name: `person-${process.pid}`,
    goesOn: () => isRunning,
    hear: (told, change) => tell(`people ${told} ${JSON.stringify(change)}`),
  }).catch((error: unknown) => tell(`people failed: ${error}`));
  let refusedBy: string | undefined;
  let acknowledged = 0;
  for (let i = 0; isRunning; i += 1) {
    // Ends with how many were acknowledged before it, which is what a test waits for.
    const chargeId = `${process.pid}-${i}-${acknowledged}`;
    const charge = { caller, endpoint: '/x', atMs: 1_800_000_000_000, credits: 1 };
    try {
      await ledger.charge({ ...charge, chargeId, requestId: 'r'.repeat(200) });
      tell(`charged ${chargeId}`);
      acknowledged += 1;
      refusedBy = undefined;
    } catch (error) {
      const name = error instanceof Error ? error.name : String(error);
      if (name !== refusedBy) tell(`refused ${name}`);
      refusedBy = name;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  asks.close();
  await changes;
  await people.close();
  const readiness = await ledger.ready().then(
    () => 'ready',
    () => 'not ready',
  );
  tell(readiness);
  await ledger.close();
  tell('stopped');
} catch (error) {
  tell(`failed ${error instanceof Error ? error.message : String(error)}`);
}
