// What a test needs and a machine may lack. A test that lacks something is skipped and says what; `npm test` lists them
// all at its end. With DOMESDAY_TEST_EVERYTHING set it fails instead, unless it is something that cannot be installed. There is no other way to
// skip a test.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';

/** A browser, a database or a proxy is one more value of this type, like `ulimit` below. */
export type Requirement<Value> =
  | { readonly kind: 'there'; readonly value: Value }
  | {
      readonly kind: 'lacking';
      readonly what: readonly string[];
      readonly because?: 'of rights' | 'no package has it';
    };

export function testWith<Value>(
  requirement: Requirement<Value>,
  name: string,
  run: (value: Value, context: TestContext) => void | Promise<void>,
): void {
  if (requirement.kind === 'there') {
    test(name, (context) => run(requirement.value, context));
    return;
  }
  const reason = `this machine lacks ${requirement.what.join(' and ')}`;
  // What cannot be installed is not asked for.
  const isAsked = process.env.DOMESDAY_TEST_EVERYTHING && requirement.because === undefined;
  if (isAsked) test(name, () => assert.fail(reason));
  else test(name, { skip: reason });
}

/** Beside the checkout, or beside the folder that holds its worktrees. */
const sharedFolders = ['../../shared', '../../../shared'].map((place) =>
  path.join(import.meta.dirname, place),
);

/** Files or folders of publishers, too large or not ours to keep in this repository. Tells the place of each. */
export function realFiles<Name extends string>(
  ...names: readonly Name[]
): Requirement<(name: Name) => string> {
  const places = new Map<string, string>();
  for (const name of names) {
    const place = sharedFolders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
    if (place !== undefined) places.set(name, place);
  }
  const absent = names.filter((name) => !places.has(name));
  return absent.length > 0
    ? { kind: 'lacking', what: absent.map((name) => `../shared/${name}`) }
    : { kind: 'there', value: (name) => places.get(name) ?? assert.fail(`${name} was not asked for`) };
}

/** One of them, by its place. */
export function realFile(name: string): Requirement<string> {
  const files = realFiles(name);
  return files.kind === 'there' ? { kind: 'there', value: files.value(name) } : files;
}

const chromium = ['chromium', 'chromium-browser', 'google-chrome'] as const;

/** Chromium as readers have it, for benchmarks. Tells its place. */
export const readersBrowser: Requirement<string> = findProgram(...chromium);

/** For tests that look at pages: first the one that has no windows, in which a page costs a quarter. Tells its place. */
export const browser: Requirement<string> = findProgram('chromium-headless-shell', ...chromium);

/** Prometheus's own checker of metrics and rules (Debian's package prometheus). Tells its place. */
export const promtool: Requirement<string> = findProgram('promtool');

/** Runs a command on a terminal of its own (Debian's package bsdutils). Tells its place. */
export const terminal: Requirement<string> = findProgram('script');

function findProgram(...names: readonly string[]): Requirement<string> {
  const [place] = names.flatMap(placesOf);
  return place === undefined
    ? { kind: 'lacking', what: [names.join(' or ')] }
    : { kind: 'there', value: place };
}

function notFromDebian<Value>(found: Requirement<Value>): Requirement<Value> {
  return found.kind === 'there' ? found : { ...found, because: 'no package has it' };
}

function placesOf(name: string): readonly string[] {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).filter((place) => existsSync(place));
}

/** A Node older than the one that `npm ci` brings along, as most machines have. Tells its place. */
export function olderNode(): Requirement<string> {
  const versionOf = (place: string) =>
    Number.parseInt(execFileSync(place, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10);
  const place = placesOf('node').find((each) => versionOf(each) < Number.parseInt(process.versions.node, 10));
  return place === undefined
    ? { kind: 'lacking', what: ['a Node older than its own'] }
    : { kind: 'there', value: place };
}

/** A shell that can limit how large a file may grow. */
export const ulimit: Requirement<undefined> =
  process.platform === 'win32'
    ? { kind: 'lacking', what: ['a shell with ulimit'] }
    : { kind: 'there', value: undefined };

/** Namespaces of process ids, as containers have them: what to put before a command. */
export function pidNamespaces(): Requirement<readonly string[]> {
  const words = ['unshare', '--pid', '--fork', '--kill-child'];
  const [program = '', ...rest] = words;
  return spawnSync(program, [...rest, 'true']).status === 0
    ? { kind: 'there', value: words }
    : { kind: 'lacking', what: ['the right to make PID namespaces'], because: 'of rights' };
}

/** Mounts a file system of that many bytes on a folder, which fills up as a disk does; returns what unmounts it. */
export function smallDisks(): Requirement<(folder: string, bytes: number) => () => void> {
  const mount = (folder: string, bytes: number) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]).status === 0;
  // Lazily: a test that failed may have left a process with a file open there.
  const unmount = (folder: string) => void execFileSync('umount', ['-l', folder]);
  const probe = mkdtempSync(path.join(tmpdir(), 'domesday-mount-'));
  const works = mount(probe, 4096);
  if (works) unmount(probe);
  rmdirSync(probe);
  return works
    ? {
        kind: 'there',
        value: (folder, bytes) => {
          assert.ok(mount(folder, bytes));
          return () => unmount(folder);
        },
      }
    : { kind: 'lacking', what: ['the right to mount a small disk'], because: 'of rights' };
}

/** What changes how the kernel schedules a process (Debian's package util-linux). Tells its place. */
/** Another user of the machine, whom this process may act as. */
export const otherUser: Requirement<number> =
  process.getuid?.() === 0
    ? { kind: 'there', value: 65_534 }
    : { kind: 'lacking', what: ['the right to act as another user'], because: 'of rights' };
export const scheduler: Requirement<string> = findProgram('chrt');

/** npm, which most people start the service with. Tells its place. */
export const npm: Requirement<string> = findProgram('npm');

/** Reverse proxies, a pooler of connections to PostgreSQL, and what judges units of systemd. Each tells its place. */
export const curl: Requirement<string> = findProgram('curl');
export const nginx: Requirement<string> = findProgram('nginx');
export const haproxy: Requirement<string> = findProgram('haproxy');
export const pgbouncer: Requirement<string> = findProgram('pgbouncer');
/** Renders overlays of Kubernetes without a cluster. Debian's is too old for them. */
export const kubectl: Requirement<string> = notFromDebian(findProgram('kubectl'));
export const systemdAnalyze: Requirement<string> = findProgram('systemd-analyze');

/** What builds and runs images, on a Debian whose own packages are the images' base: podman, as root. */
export function podman(): Requirement<{ readonly podman: string; readonly runtime: string }> {
  const [program, runtime, dpkg] = [findProgram('podman'), findProgram('runc', 'crun'), findProgram('dpkg')];
  const lacking = [program, runtime, dpkg].flatMap((each) => (each.kind === 'lacking' ? each.what : []));
  if (program.kind === 'lacking' || runtime.kind === 'lacking' || dpkg.kind === 'lacking')
    return { kind: 'lacking', what: lacking };
  return process.getuid?.() === 0
    ? { kind: 'there', value: { podman: program.value, runtime: runtime.value } }
    : { kind: 'lacking', what: ['the right to run containers'], because: 'of rights' };
}

/** What makes certificates. Tells its place. */
export const openssl: Requirement<string> = findProgram('openssl');

/** A reverse proxy, and what makes it a certificate. Tells both places. */
export function proxyWithTls(proxy: Requirement<string>): Requirement<{ proxy: string; openssl: string }> {
  if (proxy.kind === 'lacking') return proxy;
  return openssl.kind === 'lacking'
    ? openssl
    : { kind: 'there', value: { proxy: proxy.value, openssl: openssl.value } };
}

/** Two at once. */
export function both<A, B>(one: Requirement<A>, other: Requirement<B>): Requirement<readonly [A, B]> {
  if (one.kind === 'lacking') return one;
  return other.kind === 'lacking' ? other : { kind: 'there', value: [one.value, other.value] };
}

/** What several services behind a proxy take, one of them through a pooler. */
export function fleetTools(): Requirement<{ proxy: string; openssl: string; pooler: string }> {
  const proxy = proxyWithTls(haproxy);
  const lacking = [proxy, pgbouncer].flatMap((each) => (each.kind === 'lacking' ? each.what : []));
  return proxy.kind === 'there' && pgbouncer.kind === 'there'
    ? { kind: 'there', value: { ...proxy.value, pooler: pgbouncer.value } }
    : { kind: 'lacking', what: lacking };
}
