// `domesday move` killed at any moment: never can both ends be used, one of them always has everything, and the same
// command finishes it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { keepCompiledModules } from '../../../bin/compile-cache.js';
import { LedgerMissing, LedgerUnavailable, type OpenLedger } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { charging, customer, startMs } from '../bench.ts';
import { contentsOf, Pair } from './bench.ts';

// Stripping types and compiling would be most of what each of its many processes does.
keepCompiledModules();

/** Counts what the move asks of either engine, and dies before the one that is named. Tells how many there were. */
const script = `
  import pg from 'pg';
  import { DatabaseSync } from 'node:sqlite';
  const [, at, from, to] = process.argv;
  let count = 0;
  const passing = () => { if (++count === Number(at)) process.kill(process.pid, 'SIGKILL'); };
  for (const [prototype, name] of [[pg.Client.prototype, 'query'], [DatabaseSync.prototype, 'exec']]) {
    const real = prototype[name];
    prototype[name] = function (...args) { passing(); return real.apply(this, args); };
  }
  const { move } = await import(${JSON.stringify(import.meta.resolve('../../../src/cli/database/move.ts'))});
  const said = { out: () => undefined, err: () => undefined, isTerminal: false, asTyped: (text) => text };
  await move.run([from, to], { ...said, env: process.env, now: () => ${startMs} });
  console.log(count);`;

async function move(pair: Pair, from: string, to: string, dyingAt: number): Promise<number | 'killed'> {
  const args = ['--input-type=module', '-e', script, String(dyingAt), from, to];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: pair.url,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  const [, signal] = await once(child, 'close');
  return signal === 'SIGKILL' ? 'killed' : Number(out);
}

const usable = async (opening: Promise<OpenLedger>): Promise<'usable' | 'refused'> => {
  try {
    await opening;
    return 'usable';
  } catch (error) {
    assert.ok(error instanceof LedgerUnavailable || error instanceof LedgerMissing, String(error));
    return 'refused';
  }
};

const portions = 5;

/** The last steps one by one, those before them in portions. */
const momentsOf = (total: number): readonly number[] => {
  const early = Array.from({ length: portions }, (_, i) => 1 + Math.floor((i * (total - 6)) / portions));
  const late = Array.from({ length: 6 }, (_, i) => total - 5 + i);
  return [...new Set([...early, ...late])];
};

describe('a move that is killed', () => {
  for (const way of ['into a database', 'into a home'] as const) {
    it(`${way}, at any moment, leaves one end that is whole, and is finished by the next`, async () => {
      const pairs: Pair[] = [];
      const make = async (): Promise<Pair> => {
        const pair = await Pair.make();
        pairs.push(pair);
        return pair;
      };
      try {
        const origin = await make();
        const { ledger, accounts } = await openLedger({ home: origin.home });
        const { caller } = await customer(accounts, 'premium');
        for (let i = 0; i < 20; i++) await ledger.charge(charging(caller, `c${i}`));
        await ledger.close();
        const before = contentsOf(origin.file);
        /** The same ledger once more, at the end that it is to be moved from. */
        const fresh = async (): Promise<Pair> => {
          const pair = await make();
          cpSync(origin.home, pair.home, { recursive: true });
          if (way === 'into a home') await pair.moveIn();
          return pair;
        };
        const endsOf = (pair: Pair): readonly [string, string] =>
          way === 'into a database' ? [pair.home, 'DATABASE_URL'] : ['DATABASE_URL', pair.home];
        const total = await move(await fresh(), ...endsOf(pairs.at(-1) ?? assert.fail()), 0);
        assert.ok(typeof total === 'number' && total > 20, String(total));
        const seen = new Set<string>();
        for (const moment of momentsOf(total)) {
          const pair = await fresh();
          assert.equal(await move(pair, ...endsOf(pair), moment), 'killed');
          const ends = [await usable(pair.openFile()), await usable(pair.openDatabase())];
          const [source, target] = way === 'into a database' ? ends : ends.toReversed();
          await pair.closeAll();
          seen.add(`${source} ${target}`);
          assert.ok(!(source === 'usable' && target === 'usable'), `both at ${moment} of ${total}`);
          if (target === 'refused') {
            assert.equal(typeof (await move(pair, ...endsOf(pair), 0)), 'number', `at ${moment} of ${total}`);
          }
          const after = await (way === 'into a database' ? pair.openDatabase() : pair.openFile());
          const { breaks, different, contradictions } = await after.journals.verify(startMs);
          assert.deepEqual([breaks, different, contradictions], [[], [], []]);
          await pair.closeAll();
          const copy = `${pair.folder}/copy.sqlite`;
          await pair.run(way === 'into a database' ? 'database' : 'file', 'backup', copy);
          assert.deepEqual(contentsOf(copy), before, `at ${moment} of ${total}`);
          assert.deepEqual(
            readdirSync(pair.home).filter((name) => /new-|arriving/.test(name)),
            [],
          );
          assert.ok(existsSync(pair.file));
          await pair.remove();
          pairs.splice(pairs.indexOf(pair), 1);
        }
        for (const state of ['usable refused', 'refused refused']) assert.ok(seen.has(state), state);
      } finally {
        for (const pair of pairs) await pair.remove();
      }
    });
  }
});
