// What people do to the files of a ledger while a service charges: noticed before the next acknowledgement where a
// file is removed, exchanged or truncated, and what was put there is left alone.

import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openLedger } from '../../../src/ledger/open.ts';
import { readSeal, type Seal, sealFile } from '../../../src/ledger/seal.ts';
import { assertHasBytes, chargesIn, type LossBench, lossBench, lostIn, type Service } from './bench.ts';
import type { Committed } from './frozen.ts';

let bench: LossBench;
beforeEach(async () => {
  bench = await lossBench();
});
afterEach(() => bench.remove());

/** Runs once so that the copy is of an earlier generation and has charges of its own. */
async function copyAfterARun(): Promise<string> {
  const earlier = bench.start();
  await earlier.until(/^charged .*-50$/);
  await earlier.stop();
  const copy = join(bench.folder, 'copy.sqlite');
  copyFileSync(bench.path, copy);
  return copy;
}

const rescuedIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.rescued-'));

function storedSeal(): Seal {
  const seal = readSeal(sealFile(bench.home));
  assert.ok(seal !== 'absent');
  return seal;
}

async function untilSealed(service: Service, holds: (seal: Seal) => boolean): Promise<void> {
  while (!holds(storedSeal())) await service.until(/^charged/, service.lines.length);
}

/** A moment of the thread that copies the log. */
type Moment = (service: Service, act: () => void) => Promise<void>;

const anyMoment: Moment = async (_, act) => act();

const duringACopy: Moment = async (_, act) => {
  const before = readFileSync(bench.path);
  while (readFileSync(bench.path).equals(before)) await setImmediate();
  act();
};

async function assertStops(act: () => void, message: RegExp, moment = anyMoment) {
  const { checkpointed } = storedSeal();
  const service = bench.start();
  await service.until(/^charged .*-100$/);
  // Until then a copy from before this run and the log are together still all of it, and no loss.
  await untilSealed(service, (seal) => seal.checkpointed > checkpointed);
  await service.untilChanged(20);
  let committed: Committed = { charges: new Set(), people: new Map() };
  await moment(service, () => {
    committed = service.frozen(bench.path, act);
  });
  assert.match(await service.until(/the service no longer charges/), message);
  await service.until(/^refused LedgerOutOfService/);
  await service.stop();
  assert.ok(committed.charges.size >= 100 && committed.people.size > 1);
  assert.deepEqual(service.acknowledgedBeyond(committed), []);
  assert.ok(service.lines.includes('not ready') && service.lines.includes('stopped'));
  assert.equal(service.lines.filter((line) => /the service no longer charges/.test(line)).length, 1);
  return service;
}

describe('a file that is removed or exchanged', () => {
  for (const names of [['', '-wal', '-shm'], [''], ['-wal']]) {
    it(`is noticed when ${names.map((name) => `domesday.sqlite${name}`).join(', ')} is removed, and nothing that was acknowledged is lost`, async () => {
      const act = () => {
        for (const name of names) rmSync(`${bench.path}${name}`);
      };
      const message = /^error .*was removed or renamed while the service ran/;
      const service = await assertStops(act, message);
      await service.until(/^error the content of the lost ledger is in /);
      const [rescued] = rescuedIn(bench.home);
      assert.ok(rescued !== undefined);
      const other = join(bench.folder, 'other');
      cpSync(join(bench.home, rescued), join(other, 'domesday.sqlite'), { recursive: true });
      assert.deepEqual(await lostIn(other, bench.caller, service), []);
    });
  }

  it('costs nobody what was refused, when it comes back with a charge that nobody was told of', async () => {
    const elsewhere = join(bench.folder, 'elsewhere.sqlite');
    const service = await assertStops(
      () => renameSync(bench.path, elsewhere),
      /the service no longer charges/,
    );
    renameSync(elsewhere, bench.path);
    const again = bench.start();
    await again.until(/^charged/);
    await again.stop();
    const told = new Set([...service.charged(), ...again.charged()]);
    const { ledger, accounts } = await openLedger({ home: bench.home });
    const journal = await accounts.journalOf(bench.caller.accountId);
    await ledger.close();
    const reversed = new Set(
      journal.filter(({ kind }) => kind === 'reversal').map(({ chargeId }) => chargeId),
    );
    const kept = journal.filter(
      ({ kind, chargeId }) => kind === 'charge' && !reversed.has(`reversal of ${chargeId}`),
    );
    assert.deepEqual(new Set(kept.map(({ chargeId }) => chargeId)), told);
  });

  it('is noticed when an older copy is moved over it, and the copy is left as it is', async () => {
    const copy = await copyAfterARun();
    const bytes = readFileSync(copy);
    await assertStops(
      () => renameSync(copy, bench.path),
      /^error .*was exchanged for another file/,
      duringACopy,
    );
    assertHasBytes(bench.path, bytes);
    assert.match(await bench.refusal(), /is older than what this home has acknowledged/);
    assertHasBytes(bench.path, bytes);
  });

  it('is noticed when the home is renamed and another is put in its place', async () => {
    const other = await lossBench();
    const act = () => {
      renameSync(bench.home, `${bench.home}-before`);
      renameSync(other.home, bench.home);
    };
    const service = await assertStops(act, /^error .*(exchanged|removed)/);
    const theirs = await chargesIn(bench.home, other.caller);
    assert.deepEqual([...theirs], [], 'nothing was written to the other home');
    rmSync(join(bench.home, 'domesday.seal'));
    assert.deepEqual(await lostIn(`${bench.home}-before`, bench.caller, service), []);
    await other.remove();
  });
});

describe('a file or log that is truncated', () => {
  for (const size of [0, 4_096, 32_768]) {
    it(`is noticed when the file has ${size} bytes left, and the next start refuses it`, async () => {
      await assertStops(
        () => truncateSync(bench.path, size),
        /^error .*sqlite was truncated while the service ran/,
      );
      assert.match(await bench.refusal(), /damaged|older/);
    });
  }

  it('is noticed when the log has 100 bytes left', async () => {
    await assertStops(
      () => truncateSync(`${bench.path}-wal`, 100),
      /^error .*-wal was truncated while the service ran/,
    );
  });
});

describe('a ledger that is a link', () => {
  it('works, and its target is watched', async () => {
    const real = join(bench.folder, 'elsewhere', 'real.sqlite');
    cpSync(bench.path, real, { recursive: true });
    rmSync(bench.path);
    symlinkSync(real, bench.path);
    const service = await assertStops(() => renameSync(real, `${real}-moved`), /^error .*removed or renamed/);
    assert.ok(service.charged().length >= 100);
    assert.equal(basename(dirname(real)), 'elsewhere');
  });

  it('works with a home that is a link', async () => {
    const link = join(bench.folder, 'link');
    symlinkSync(bench.home, link);
    assert.equal((await chargesIn(link, bench.caller)).size, 0);
  });
});
