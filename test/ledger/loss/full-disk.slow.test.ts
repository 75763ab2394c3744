// A disk that is full while a service charges, and is not any more: nothing acknowledged is lost, it is told once, and
// charging and the copying of the log go on by themselves.

import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { type Caller, type Ledger, LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { repeatable } from '../../../src/ledger/repeats.ts';
import { smallDisks, testWith } from '../../requirements.ts';
import { chargesIn, type LossBench, lossBench, lostIn, type Service } from './bench.ts';

const diskBytes = 80 * 2 ** 20;

async function onSmallDisk(
  mount: (folder: string, bytes: number) => () => void,
  work: (bench: LossBench, disk: string) => Promise<void>,
  bytes = diskBytes,
): Promise<void> {
  const disk = mkdtempSync(join(tmpdir(), 'domesday-disk-'));
  const unmount = mount(disk, bytes);
  try {
    const bench = await lossBench(disk);
    try {
      await work(bench, disk);
    } finally {
      await bench.remove();
    }
  } finally {
    unmount();
    rmSync(disk, { recursive: true });
  }
}

/** Takes all the room there is. */
function fill(disk: string): string {
  const filler = join(disk, `filler-${Math.random()}`);
  const handle = Buffer.alloc(2 ** 16, 1);
  writeFileSync(filler, '');
  try {
    for (;;) writeFileSync(filler, handle, { flag: 'a' });
  } catch {
    return filler;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(20);
}

/** Each time the log is emptied there is room again, so that it has to be taken again. */
async function fillUntil(
  disk: string,
  fillers: string[],
  { service, holds }: { service: Service; holds: () => boolean },
): Promise<void> {
  while (!holds()) {
    service.assertGoesOn('what it should say on a full disk');
    fillers.push(fill(disk));
    await wait(20);
  }
}

const isRefused = (service: Service) => told(service, /^refused LedgerUnavailable/) > 0;

const told = (service: Service, pattern: RegExp) => service.lines.filter((line) => pattern.test(line)).length;

testWith(smallDisks(), 'charges go on by themselves once there is room', async (mount) => {
  await onSmallDisk(mount, async (bench, disk) => {
    const reserve = join(bench.home, 'domesday.reserve');
    const service = bench.start();
    await until(() => existsSync(reserve));
    const fillers = [fill(disk)];
    await fillUntil(disk, fillers, { service, holds: () => isRefused(service) });
    await service.until(/^error .*the disk is full; make room/);
    const lines = service.lines.length;
    assert.ok(service.changes.refused > 0);
    for (const filler of fillers) rmSync(filler);
    await service.until(/^charged/, lines);
    await service.untilChanged(10);
    await service.until(/^info the ledger can be written again/, lines);
    await until(() => existsSync(reserve));
    await service.stop();
    assert.equal(
      told(service, /^error the ledger cannot be written.*the disk is full/),
      told(service, /^info the ledger can be written again/),
      'it is told once when it begins and once when it ends',
    );
    assert.deepEqual(await lostIn(bench.home, bench.caller, service), []);
  });
});

testWith(
  smallDisks(),
  'an opening and a start on a full disk take the room of the reserve; a charge is refused until there is room',
  async (mount) => {
    await onSmallDisk(mount, async ({ home, caller }, disk) => {
      const reserve = join(home, 'domesday.reserve');
      let filler = '';
      const fillAround = () => {
        rmSync(filler, { force: true });
        writeFileSync(reserve, Buffer.alloc(2 ** 23, 1));
        filler = fill(disk);
      };
      fillAround();
      const { ledger, maintain } = await openLedger({ home });
      assert.equal(existsSync(reserve), false, 'the opening let it go');
      fillAround();
      maintain();
      assert.equal(existsSync(reserve), false, 'the start let it go');
      fillAround();
      await assert.rejects(ledger.charge({ ...oneCredit, caller, chargeId: 'c1' }), LedgerUnavailable);
      rmSync(filler);
      await ledger.charge({ ...oneCredit, caller, chargeId: 'c2' });
      await ledger.close();
    });
  },
);

/** Charges while a reader keeps the log from being emptied, until they are refused; once the reader is gone, they go on. */
async function assertLogLeavesRoom(
  { home, path, caller }: LossBench,
  { prepare = async () => 0, atMs = oneCredit.atMs, leastMade = 100 }: Prepared = {},
): Promise<void> {
  const { ledger, maintain } = await openLedger({ home });
  maintain();
  const before = await prepare(ledger, caller);
  const reader = new DatabaseSync(path);
  reader.exec('BEGIN; SELECT * FROM accounts');
  let made = 0;
  const charge = async () => {
    const chargeId = `c${made}`;
    await ledger.charge({ ...oneCredit, atMs, caller, chargeId, requestId: 'r'.repeat(200) });
    made += 1;
  };
  const isRefused = () =>
    charge().then(
      () => false,
      (error: unknown) => error instanceof LedgerUnavailable,
    );
  while (!(await isRefused()));
  reader.close();
  for (let tries = 0; await isRefused(); tries += 1) {
    assert.ok(tries < 3_000, 'charges do not go on');
    await wait(20);
  }
  assert.ok(made > leastMade, `${made} charges`);
  await ledger.close();
  assert.equal((await chargesIn(home, caller)).size, before + made);
}

type Prepared = {
  /** What is there before; tells how many charges. */
  readonly prepare?: (ledger: Ledger, caller: Caller) => Promise<number>;
  readonly atMs?: number;
  readonly leastMade?: number;
};

const littleBytes = 3 * 2 ** 23;

testWith(
  smallDisks(),
  'a log that cannot be emptied leaves the room for its copy, so that charges go on by themselves once it can',
  async (mount) => {
    await onSmallDisk(mount, (bench) => assertLogLeavesRoom(bench), littleBytes);
  },
);

testWith(smallDisks(), 'so does one that takes down what is forgotten', async (mount) => {
  const remembered = 10_000;
  const prepare = async (ledger: Ledger, caller: Caller) => {
    for (let from = 0; from < remembered; from += 500) {
      await ledger.chargeTogether(
        Array.from({ length: 500 }, (_, place) => {
          const chargeId = `remembered ${from + place}`;
          return { ...oneCredit, caller, chargeId, repeatable: repeatable(chargeId, '/x') };
        }),
      );
    }
    return remembered;
  };
  const atMs = oneCredit.atMs + 25 * 3_600_000;
  // Each takes down 128, which are on as many pages.
  const leastMade = 10;
  await onSmallDisk(mount, (bench) => assertLogLeavesRoom(bench, { prepare, atMs, leastMade }), littleBytes);
});

/** The home is where all homes are; the disk has nothing but the ledger. */
async function withLinkTo(disk: string, work: (bench: LossBench) => Promise<void>): Promise<void> {
  const bench = await lossBench();
  try {
    const target = join(disk, 'domesday.sqlite');
    copyFileSync(bench.path, target);
    rmSync(bench.path);
    symlinkSync(target, bench.path);
    await work(bench);
  } finally {
    await bench.remove();
  }
}

testWith(smallDisks(), 'so does one of a ledger that is a link to another disk', async (mount) => {
  const work = async (bench: LossBench) => {
    // As earlier versions left it: it is no room for this log.
    writeFileSync(join(bench.home, 'domesday.reserve'), Buffer.alloc(2 ** 23, 1));
    await assertLogLeavesRoom(bench);
  };
  await onSmallDisk(mount, (_, disk) => withLinkTo(disk, work), littleBytes);
});

testWith(
  smallDisks(),
  'the reserve of a ledger that is a link is on the disk that it leads to',
  async (mount) => {
    await onSmallDisk(mount, (_, disk) =>
      withLinkTo(disk, async (bench) => {
        const hasReserve = (folder: string) => existsSync(join(folder, 'domesday.reserve'));
        const service = bench.start();
        await until(() => hasReserve(disk) || hasReserve(bench.home));
        await service.stop();
        assert.deepEqual([hasReserve(disk), hasReserve(bench.home)], [true, false]);
      }),
    );
  },
);

testWith(smallDisks(), 'no reserve is made where there is little room, or none', async (mount) => {
  const little = (work: Parameters<typeof onSmallDisk>[1]) => onSmallDisk(mount, work, 2 ** 24);
  await little(async ({ home, caller }) => {
    const { ledger, maintain } = await openLedger({ home });
    maintain();
    await ledger.charge({ ...oneCredit, caller, chargeId: 'c1' });
    while (JSON.parse(readFileSync(join(home, 'domesday.seal'), 'utf8')).newestEntry < 2) await wait(20);
    await ledger.close();
    assert.equal(existsSync(join(home, 'domesday.reserve')), false);
  });
  await onSmallDisk(mount, async ({ home }) => {
    const draft = join(home, 'domesday.reserve.new');
    symlinkSync('/dev/full', draft);
    const { promise, resolve } = Promise.withResolvers<string>();
    const { ledger, maintain } = await openLedger({ home, tell: ({ message }) => resolve(message) });
    maintain();
    while (lstatSync(draft, { throwIfNoEntry: false })?.isSymbolicLink()) await wait(20);
    assert.match(await promise, /the disk is full/);
    await ledger.close();
  });
});

const oneCredit = { endpoint: '/x', atMs: 1_800_000_000_000, requestId: 'r', credits: 1 };

testWith(smallDisks(), 'a start on a full disk lets the reserve go, or says what to do', async (mount) => {
  await onSmallDisk(mount, async (bench, disk) => {
    const reserve = join(bench.home, 'domesday.reserve');
    const service = bench.start();
    await until(() => existsSync(reserve));
    await service.kill();
    const fillers = [fill(disk)];
    const second = bench.start();
    await second.until(/^charged/);
    await fillUntil(disk, fillers, { service: second, holds: () => isRefused(second) });
    await second.kill();
    // A log that was copied just before the disk was full leaves nothing to copy: then the reserve is still there.
    rmSync(reserve, { force: true });
    const third = bench.start();
    const saysFull = () => told(third, /^(failed .*the disk is full; make room and try again|refused)/) > 0;
    await fillUntil(disk, fillers, { service: third, holds: saysFull });
    await third.kill();
    for (const filler of fillers) rmSync(filler);
    const fourth = bench.start();
    await fourth.until(/^charged/);
    await fourth.stop();
    assert.deepEqual(await lostIn(bench.home, bench.caller, service, second, third, fourth), []);
  });
});
