// What people do to the files of a ledger between two starts: whatever loses acknowledged charges is refused, and what
// was put there is left alone.

import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openLedger } from '../../../src/ledger/open.ts';
import { assertHasBytes, type LossBench, lossBench, lostIn, type Service } from './bench.ts';

let bench: LossBench;
let seal = '';
beforeEach(async () => {
  bench = await lossBench();
  seal = join(bench.home, 'domesday.seal');
});
afterEach(() => bench.remove());

async function run(end: 'stop' | 'kill', charges = 100): Promise<Service> {
  const service = bench.start();
  await service.until(new RegExp(`^charged .*-${charges}$`));
  await service.untilChanged(charges / 10);
  await service[end]();
  return service;
}

const copyTo = (name: string): string => {
  const copy = join(bench.folder, name);
  copyFileSync(bench.path, copy);
  return copy;
};

const assertHolds = async (...services: readonly Service[]): Promise<void> => {
  assert.deepEqual(await lostIn(bench.home, bench.caller, ...services), []);
};

describe('a home that had a ledger', () => {
  it('makes no new one, for service or command, until its seal is removed', async () => {
    await run('stop');
    rmSync(bench.path);
    assert.match(
      await bench.refusal(),
      /had a ledger, but .* is gone; put it back, restore a backup .* --home /,
    );
    assert.equal(existsSync(bench.path), false);
    const service = bench.start();
    await service.until(/^failed .*had a ledger/);
    rmSync(seal);
    assert.equal(await bench.refusal(), 'none');
  });

  it('names its own rescued copy where another ledger was put in place', async () => {
    await run('stop');
    const other = await lossBench();
    const saved = `${bench.path}.rescued-1800000000000`;
    copyFileSync(bench.path, saved);
    copyFileSync(other.path, bench.path);
    const refusal = await bench.refusal();
    assert.match(refusal, /is not the ledger that this home had; restore domesday\.sqlite\.rescued-/);
    assert.ok(refusal.includes(`\`domesday restore FOLDER --other-ledger --home ${bench.home}\``));
    await other.remove();
  });

  for (const copy of [
    'domesday.sqlite.rescued-1800000000000',
    'domesday-before-20270101T000000Z-x/domesday.sqlite',
  ]) {
    it(`names ${copy} to restore where it has everything, and no longer once it has not`, async () => {
      const saved = join(bench.home, copy);
      const command = `\`domesday restore ${saved} --home ${bench.home}\``;
      await run('stop');
      cpSync(bench.path, saved, { recursive: true });
      rmSync(bench.path);
      assert.ok(
        (await bench.refusal()).includes(`; restore ${basename(copy)}, which has all of it, with ${command}`),
      );
      copyFileSync(saved, bench.path);
      await run('stop');
      rmSync(bench.path);
      assert.match(await bench.refusal(), /restore a backup with `domesday restore FOLDER --home [^`]+`/);
      for (const spoil of [() => writeFileSync(saved, 'no ledger'), () => rmSync(saved)]) {
        spoil();
        assert.match(await bench.refusal(), /restore a backup with `domesday restore FOLDER --home [^`]+`/);
      }
    });
  }

  it('refuses an older copy of its ledger, also of the same generation', async () => {
    await run('stop');
    const copy = copyTo('old.sqlite');
    const { ledger, accounts } = await openLedger({ home: bench.home });
    await accounts.grantCredits(bench.caller.accountId, { credits: 5, atMs: 1_800_000_000_000 });
    await ledger.close();
    const newest = copyTo('newest.sqlite');
    copyFileSync(copy, bench.path);
    assert.match(await bench.refusal(), /is older than what this home has acknowledged/);
    assertHasBytes(bench.path, readFileSync(copy));
    copyFileSync(newest, bench.path);
    const later = await run('stop');
    copyFileSync(newest, bench.path);
    assert.match(await bench.refusal(), /is older/);
    assert.ok(later.charged().length >= 100);
  });

  it('refuses a copy from another ledger', async () => {
    const other = await lossBench();
    copyFileSync(other.path, bench.path);
    assert.match(await bench.refusal(), /is not the ledger that this home had/);
    assertHasBytes(bench.path, readFileSync(other.path));
    await other.remove();
  });

  it('refuses a ledger whose log was removed after a kill, where charges stood in it', async () => {
    await run('stop');
    const service = bench.start();
    await service.until(/^charged .*-500$/);
    // The seal knows of them within a second.
    while (JSON.parse(readFileSync(seal, 'utf8')).newestEntry < 300)
      await service.until(/^charged/, service.lines.length);
    await service.kill();
    const main = readFileSync(bench.path);
    const wal = readFileSync(`${bench.path}-wal`);
    rmSync(`${bench.path}-wal`);
    const refusal = await bench.refusal();
    // Where everything the seal knows was copied before the kill, nothing that it knows is lost; a kill within a copy leaves
    // a file that is none without its log.
    const kept = new DatabaseSync(bench.path, { readOnly: true });
    const isWhole = kept.prepare('PRAGMA integrity_check(1)').get()?.integrity_check === 'ok';
    const newest = isWhole ? Number(kept.prepare('SELECT max(seq) AS seq FROM journal').get()?.seq) : 0;
    kept.close();
    const known = JSON.parse(readFileSync(seal, 'utf8')).newestEntry;
    const refused = isWhole ? /is older/ : /is older|is damaged/;
    assert.match(refusal, newest < known ? refused : /^none$/);
    writeFileSync(bench.path, main);
    writeFileSync(`${bench.path}-wal`, wal);
    rmSync(`${bench.path}-shm`, { force: true });
    await assertHolds(service);
  });

  it('takes a home that was copied whole for a home of its own', async () => {
    const service = await run('kill');
    const copy = join(bench.folder, 'twin');
    cpSync(bench.home, copy, { recursive: true });
    assert.deepEqual(await lostIn(copy, bench.caller, service), []);
    await run('stop');
  });
});

describe('a backup put beside the log of the ledger it replaced', () => {
  for (const megabytes of [0, 40]) {
    it(`is refused and left alone, with ${megabytes} MB more in it`, async () => {
      if (megabytes > 0) fatten(bench.path, megabytes);
      await run('stop');
      const copy = copyTo('backup.sqlite');
      const checkpointed = (): number => JSON.parse(readFileSync(seal, 'utf8')).checkpointed;
      const pulse = checkpointed();
      const service = bench.start();
      await service.until(/^charged .*-100$/);
      while (checkpointed() < pulse + 2) await service.until(/^charged/, service.lines.length);
      await service.kill();
      copyFileSync(copy, bench.path);
      const wal = readFileSync(`${bench.path}-wal`);
      assert.ok(wal.length > 0);
      assert.match(await bench.refusal(), /is older than what this home has acknowledged/);
      assertHasBytes(bench.path, readFileSync(copy));
      assertHasBytes(`${bench.path}-wal`, wal);
    });
  }

  it('above 32 MB is checked whole when the seal is gone too, and not charged to', async () => {
    fatten(bench.path, 40);
    await run('stop');
    const copy = copyTo('backup.sqlite');
    const service = await run('kill', 300);
    assert.ok(service.charged().length >= 300);
    copyFileSync(copy, bench.path);
    appendFileSync(bench.path, Buffer.alloc(4_096, 1));
    scribble(bench.path, 4_096 * 3_000);
    rmSync(seal);
    const again = bench.start();
    await again.until(/^warn .*a full check runs, and nothing is charged until it is done/);
    await again.until(/^error .*is damaged.*the service no longer charges/);
    assert.deepEqual(again.charged(), []);
    await again.stop();
  });
});

describe('an unclean stop', () => {
  it('of a ledger above 32 MB is followed by a complete check before the first charge', async () => {
    fatten(bench.path, 40);
    const first = await run('kill');
    const second = bench.start();
    await second.until(/^charged/);
    const place = (pattern: RegExp) => second.lines.findIndex((line) => pattern.test(line));
    const begun = place(/^warn .*a full check runs/);
    const done = place(/^info the full check of the ledger took \d+\.\d s and found no fault/);
    assert.ok(begun !== -1 && begun < done && done < place(/^charged/));
    await second.stop();
    await assertHolds(first, second);
    const third = await run('stop', 10);
    assert.ok(!third.lines.some((line) => /full check/.test(line)), 'an orderly stop is not');
  });

  it('is not needed for a complete check where a ledger above 32 MB was changed after an orderly one', async () => {
    fatten(bench.path, 40);
    await run('stop', 10);
    scribble(bench.path, 4_096 * 3_000);
    const service = bench.start();
    await service.until(/^warn .*a full check runs, and nothing is charged until it is done/);
    await service.until(/^error .*is damaged.*the service no longer charges/);
    assert.deepEqual(service.charged(), []);
    await service.stop();
  });

  it('between the two writes of a start leaves a home that starts', async () => {
    const before = readFileSync(seal);
    const first = await run('kill');
    // As if the second write had never been made: the ledger is one generation ahead.
    writeFileSync(seal, before);
    const second = await run('kill');
    await assertHolds(first, second);
  });
});

describe('the seal', () => {
  it('that is gone is made again by the service, which says so', async () => {
    const first = await run('stop');
    rmSync(seal);
    const second = await run('stop');
    await second.until(/^warn .*had no seal beside it and is used as it is/);
    assert.ok(existsSync(seal));
    await assertHolds(first, second);
  });

  it('that is damaged is refused, with what to do, and left alone', async () => {
    const whole = JSON.parse(readFileSync(seal, 'utf8'));
    const wrong = Object.keys(whole).flatMap((member) =>
      [null, -1, 1.5, 'other'].map((value) => JSON.stringify({ ...whole, [member]: value })),
    );
    // A seal may name any ledger, and any stamp or none.
    const damaged = wrong.filter((text) => {
      const { id, stamp } = JSON.parse(text);
      return id !== 'other' && stamp !== 'other' && stamp !== null;
    });
    for (const text of ['', '{', '[]', '7', 'null', '{"version":2}', ...damaged]) {
      writeFileSync(seal, text);
      assert.match(await bench.refusal(), /domesday\.seal is damaged.*; restore a backup .*or remove/);
      assert.equal(readFileSync(seal, 'utf8'), text);
    }
  });

  it('that cannot be read says what to look at, also where it is a link that leads nowhere', async () => {
    for (const block of [() => mkdirSync(seal), () => symlinkSync(join(bench.folder, 'nowhere'), seal)]) {
      rmSync(seal, { recursive: true });
      block();
      assert.match(await bench.refusal(), /domesday\.seal cannot be read; check who owns it and, if it is a/);
    }
  });

  it('leaves no drafts, not even of a start that was killed in writing one, and is closed by an orderly stop only', async () => {
    await run('kill');
    writeFileSync(`${seal}.new`, '{"half');
    assert.equal(JSON.parse(readFileSync(seal, 'utf8')).state, 'open');
    await run('stop');
    assert.equal(JSON.parse(readFileSync(seal, 'utf8')).state, 'closed');
    assert.deepEqual(
      readdirSync(bench.home).filter((name) => name.includes('.new')),
      [],
    );
  });
});

/** Entries in one transaction, so that the file grows quickly. */
function fatten(path: string, megabytes: number): void {
  const db = new DatabaseSync(path);
  db.prepare(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO journal (previous, account, at, kind, credits, lasting, balance_after, lasting_after, note)
    SELECT NULL, 1, 1, 0, 0, 0, 0, 0, hex(zeroblob(500)) FROM n`).run(megabytes * 1_000);
  db.close();
}

function scribble(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0x5a, offset, offset + 4_096);
  writeFileSync(path, bytes);
}
