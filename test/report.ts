// What a run of the tests prints: a line for each file as it ends, every failure with its cause, the slowest files, what this
// machine lacks, and how many passed and failed.

import type { TestsStream } from 'node:test';
import { inspect } from 'node:util';

type Ended = {
  readonly name: string;
  readonly nesting: number;
  readonly details: { readonly duration_ms: number; readonly type?: string | undefined };
  readonly entryFile?: string;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Begins one run after the other, and answers whether all passed. */
export async function report(runs: readonly (() => TestsStream)[]): Promise<boolean> {
  const [files, failures]: [{ name: string; ms: number }[], string[]] = [[], []];
  const notRun = new Set<string>();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** By process: tests of the file that it is running, and what it printed. */
  const running = new Map<string, { tests: number; failures: string[]; printed: string }>();
  const of = (entryFile = '') => {
    const known = running.get(entryFile) ?? { tests: 0, failures: [], printed: '' };
    running.set(entryFile, known);
    return known;
  };

  const ended = (data: Ended, error: unknown): void => {
    const own = of(data.entryFile);
    const reason = data.skip ?? data.todo ?? false;
    const isSuite = data.details.type === 'suite';
    if (reason !== false) {
      counts.skipped += 1;
      notRun.add(String(reason));
    } else if (!isSuite && error === undefined) counts.passed += 1;
    if (!isSuite) own.tests += 1;
    if (error !== undefined && !isOfChildren(error)) {
      counts.failed += 1;
      own.failures.push(`✖ ${data.name}\n${indented(textOf(error))}`);
    }
    if (data.nesting > 0) return;
    // The last of its file: the file itself, or a process that ended before it could tell.
    files.push({ name: data.name, ms: data.details.duration_ms });
    const mark = own.failures.length === 0 ? '✔' : '✖';
    console.log(`${mark} ${data.name}: ${own.tests} tests, ${seconds(data.details.duration_ms)}`);
    if (own.failures.length > 0) {
      const text = `${data.name}\n${own.failures.map(indented).join('\n')}${indented(own.printed)}`;
      failures.push(text);
      console.log(text);
    }
    running.delete(data.entryFile ?? '');
  };
  let isSuccess = true;
  for (const begin of runs) {
    const stream = begin();
    stream.on('test:pass', (data) => ended(data, undefined));
    stream.on('test:fail', (data) => ended(data, data.details.error));
    for (const kind of ['test:stdout', 'test:stderr'] as const)
      stream.on(kind, ({ file, message }) => {
        of(file).printed += message;
      });
    stream.on('test:summary', ({ success }) => {
      isSuccess &&= success;
    });
    for await (const _ of stream);
  }

  printSlowest(files);
  if (failures.length > 0) console.log(`\nWhat failed, again:\n${failures.join('\n')}`);
  printLacking(notRun, counts.skipped);
  console.log(
    `\n${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
  );
  return isSuccess && counts.failed === 0;
}

function printLacking(reasons: ReadonlySet<string>, skipped: number): void {
  if (skipped === 0) return;
  const lacks = [...reasons].map((reason) => reason.replace(/^this machine lacks /, '')).sort();
  const them = 'DOMESDAY_TEST_EVERYTHING=1 makes each of them a failure';
  console.log(`\n${skipped} tests were not run, as this machine lacks ${lacks.join('; ')}. ${them}.`);
}

function printSlowest(files: readonly { name: string; ms: number }[]): void {
  const slowest = files.toSorted((one, other) => other.ms - one.ms);
  console.log('\nThe slowest files:');
  for (const { name, ms } of slowest.slice(0, 10))
    console.log(`  ${seconds(ms).padStart(8)}  ${name}${ms > 20_000 ? ', more than 20 s' : ''}`);
}

const isOfChildren = (error: unknown): boolean =>
  error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed';

const textOf = (error: unknown): string =>
  inspect(error instanceof Error && error.cause !== undefined ? error.cause : error);

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');
