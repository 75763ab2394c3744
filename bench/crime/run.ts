// Crimes within a mile: our table against SQL engines, on the same made-up incidents in one run, equal answers first.
// node crime/run.ts [incidents] [points] [engines, with commas] [folder]; what is in the folder from before is used again.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { randomFrom } from '../../scripts/random.ts';
import { type Figure, report } from '../figures.ts';
import { months } from './made-up.ts';
import { askTable, type Engine, type OpenEngines, places, type Question } from './questions.ts';
import { openWorld } from './world.ts';

const [incidents = 20e6, points = 700_000] = process.argv.slice(2, 4).map(Number);
const engineNames = (process.argv[4] ?? 'sqlite,duckdb,postgres')
  .split(',')
  .filter((name) => name !== 'none');
const kept = process.argv[5];
const folder = kept ?? mkdtempSync(path.join(tmpdir(), 'domesday-bench-crime-'));
mkdirSync(folder, { recursive: true });
const rounds = 5;

const say = (text: string) => console.log(text);
const seconds = (startMs: number) => `${((performance.now() - startMs) / 1000).toFixed(0)} s`;
const loadNow = () => loadavg()[0]?.toFixed(1);
const at = (sorted: readonly number[], share: number) =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

say(`node ${process.version}, ${process.platform} ${process.arch}, load average ${loadNow()}`);
const begun = performance.now();
const world = openWorld(folder, { incidents, points, seed: 7 });
const { crimes } = world;
say(
  `${crimes.pointCount} points, ${months} months; ready in ${seconds(begun)}, resident ${(process.memoryUsage.rss() / 1e9).toFixed(2)} GB`,
);

type Kind = keyof typeof places;
const kinds: readonly Kind[] = ['dense', 'rural'];
const random = randomFrom(11);
const questions = (kind: Kind, count: number, wanted: number): readonly Question[] =>
  Array.from({ length: count }, () => ({ ...places[kind](random), months: wanted }));

const own: Engine = { name: 'Domesday', ask: (question) => askTable(crimes, question), close: () => {} };

/** Milliseconds of each question, ascending. Nothing is turned into text. */
async function time(engine: Engine, asked: readonly Question[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const question of asked) {
    const startMs = performance.now();
    const found = engine.ask(question);
    if (found instanceof Promise) await found;
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b);
}

async function assertEqual(engine: Engine): Promise<void> {
  for (const question of [
    ...questions('dense', 20, 24),
    ...questions('rural', 80, 24),
    ...questions('rural', 20, 1),
  ]) {
    const expected = askTable(crimes, question)();
    const answer = (await engine.ask(question))();
    if (!isDeepStrictEqual(answer, expected)) {
      throw new Error(
        `${engine.name} answers ${JSON.stringify(question)} otherwise:\n${answer.join('; ')}\n${expected.join('; ')}`,
      );
    }
  }
}

/** How many questions make a round: some tenths of a second of each side. */
const askedPerRound = { dense: { own: 2000, other: 20 }, rural: { own: 5000, other: 150 } } as const;
type Line = {
  readonly name: string;
  readonly kind: Kind;
  readonly p50: number;
  readonly ratio: number;
  readonly lowest: number;
};
const lines: Line[] = [];

async function compare(engine: Engine): Promise<void> {
  await assertEqual(engine);
  for (const kind of kinds) {
    const { own: ownCount, other: otherCount } = askedPerRound[kind];
    await time(engine, questions(kind, otherCount, 24));
    const all: number[] = [];
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const ours = await time(own, questions(kind, ownCount, 24));
      const theirs = await time(engine, questions(kind, otherCount, 24));
      all.push(...theirs);
      ratios.push(at(theirs, 0.5) / at(ours, 0.5));
    }
    all.sort((a, b) => a - b);
    ratios.sort((a, b) => a - b);
    const [p50, ratio] = [at(all, 0.5), at(ratios, 0.5)];
    lines.push({ name: engine.name, kind, p50, ratio, lowest: at(ratios, 0) });
    say(
      `  ${engine.name.padEnd(30)} ${kind}  min ${at(all, 0).toFixed(3).padStart(8)} ms  p50 ${p50.toFixed(3).padStart(8)} ms  × ${ratio.toFixed(0)} (lowest round ${at(ratios, 0).toFixed(0)})`,
    );
  }
}

async function measureOwn(): Promise<void> {
  for (const kind of kinds) {
    await time(own, questions(kind, 5000, 24));
    const long = await time(own, questions(kind, 20_000, 24));
    const short = await time(own, questions(kind, 20_000, 1));
    const [p50, one] = [at(long, 0.5), at(short, 0.5)];
    say(
      `  ${own.name.padEnd(30)} ${kind}  min ${at(long, 0).toFixed(4).padStart(8)} ms  p50 ${p50.toFixed(4).padStart(8)} ms  p99 ${at(long, 0.99).toFixed(4)} ms; 1 month p50 ${one.toFixed(4)} ms: 24 cost × ${(p50 / one).toFixed(2)}`,
    );
  }
}

await measureOwn();
for (const name of engineNames) {
  const startMs = performance.now();
  // Their packages are those of bench/, which the checks of the whole house do without.
  const { open }: { open: OpenEngines } = await import(`./${name}.ts`);
  const engines = await open(world, path.join(folder, name));
  say(`${name} ready in ${seconds(startMs)}; answers must be equal; load average ${loadNow()}`);
  try {
    for (const engine of engines) await compare(engine);
  } finally {
    for (const engine of engines) await engine.close();
  }
}
await measureOwn();
const figures: Figure[] = [];
for (const kind of kinds) {
  const fastest = lines.filter((line) => line.kind === kind).sort((a, b) => a.ratio - b.ratio)[0];
  if (fastest === undefined) continue;
  say(
    `${kind}: fastest other is ${fastest.name}, ${fastest.p50.toFixed(3)} ms: × ${fastest.ratio.toFixed(0)}`,
  );
  const { ratio: value, lowest: worst } = fastest;
  figures.push({ what: `${kind}: fastest engine ÷ ours`, value, unit: '×', worst, aim: '≥ 40' });
}
say(`load average ${loadNow()}`);
if (kept === undefined) rmSync(folder, { recursive: true, force: true });
report(figures);
