// The proxies of deploy/ as an operator runs them, in front of services that a test starts: the files as they are, but
// for ports, certificate and replicas, which are those of the test.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Agent, request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

const deploy = path.join(import.meta.dirname, '../../deploy');
const name = 'data.example.com';

/** A test, or whatever else ends what was started. */
export type Ending = { readonly after: (end: () => void | Promise<void>) => void };

export type Tools = { readonly proxy: string; readonly openssl: string };

export type Reply = {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
};

export type RunningProxy = {
  /** Where its configuration lies, and HAProxy's socket for commands. */
  readonly folder: string;
  /** The port of plain http. */
  readonly clearPort: number;
  readonly tlsPort: number;
  /** What the proxy says of its own configuration, as an operator asks it before a reload. */
  readonly verdict: { readonly status: number | null; readonly text: string };
  /** Over TLS, with the certificate checked. */
  readonly ask: (target: string, wish?: Wish) => Promise<Reply>;
};

type Wish = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Keeps connections; without one each call has its own. */
  readonly agent?: Agent;
};

/** `replicas` are addresses such as 127.0.0.1:8080. */
export const startNginx = (
  context: Ending,
  tools: Tools,
  replicas: readonly string[],
): Promise<RunningProxy> =>
  start(context, tools, (folder, ports) => {
    const list = path.join(folder, 'replicas.conf');
    const [line = ''] =
      /^server .*$/m.exec(readFileSync(path.join(deploy, 'nginx/domesday-replicas.conf'), 'utf8')) ?? [];
    writeFileSync(list, replicas.map((address) => replaced(line, '127.0.0.1:8080', address)).join('\n'));
    let text = readFileSync(path.join(deploy, 'nginx/domesday.conf'), 'utf8');
    for (const [from, to] of [
      ['/etc/nginx/domesday-replicas.conf;', `${list};`],
      ['/etc/letsencrypt/live/data.example.com/fullchain.pem', path.join(folder, 'certificate.pem')],
      ['/etc/letsencrypt/live/data.example.com/privkey.pem', path.join(folder, 'key.pem')],
      ['/var/log/nginx/access.log', path.join(folder, 'access.log')],
      ['listen 80;', `listen 127.0.0.1:${ports.clear};`],
      ['listen [::]:80;', ''],
      ['listen 443 ssl http2;', `listen 127.0.0.1:${ports.tls} ssl http2;`],
      ['listen [::]:443 ssl http2;', ''],
    ] as const)
      text = replaced(text, from, to);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const file = path.join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr; events {}\nhttp {\n${temporary
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join('\n')}\n${text}}\n`,
    );
    return { run: ['-p', folder, '-e', 'stderr', '-c', file], judge: ['-t'] };
  });

export const startHaproxy = (
  context: Ending,
  tools: Tools,
  replicas: readonly string[],
): Promise<RunningProxy> =>
  start(context, tools, (folder, ports) => {
    const both = path.join(folder, 'both.pem');
    for (const part of ['certificate.pem', 'key.pem'])
      appendFileSync(both, readFileSync(path.join(folder, part)));
    let text = readFileSync(path.join(deploy, 'haproxy/haproxy.cfg'), 'utf8');
    for (const [from, to] of [
      ['/etc/haproxy/certs/data.example.com.pem', both],
      ['/run/haproxy/admin.sock mode', `${folder}/admin.sock mode`],
      ['    user haproxy\n    group haproxy\n', ''],
      ['bind :80', `bind 127.0.0.1:${ports.clear}`],
      ['bind :443', `bind 127.0.0.1:${ports.tls}`],
    ] as const)
      text = replaced(text, from, to);
    const servers = replicas.map((address, at) => `    server replica-${at + 1} ${address}`);
    const [lines = ''] = /(?:^ {4}server .*\n)+/m.exec(text) ?? [];
    const file = path.join(folder, 'haproxy.cfg');
    writeFileSync(file, replaced(text, lines, `${servers.join('\n')}\n`));
    return { run: ['-db', '-f', file], judge: ['-c'] };
  });

/** A file of deploy/ that no longer says what the test changes would be run with ports of the real machine. */
function replaced(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), `${from} is not in the proxy's configuration`);
  return text.replaceAll(from, () => to);
}

type Ports = { readonly clear: number; readonly tls: number };
type Configured = { readonly run: readonly string[]; readonly judge: readonly string[] };

async function start(
  context: Ending,
  { proxy, openssl }: Tools,
  configure: (folder: string, ports: Ports) => Configured,
): Promise<RunningProxy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-proxy-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const certificate = path.join(folder, 'certificate.pem');
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    `${folder}/key.pem`,
  ];
  execFileSync(openssl, ['req', '-x509', ...key, ...subject, '-out', certificate], { stdio: 'ignore' });
  const [clear = 0, tls = 0] = await freePorts(2);
  const { run, judge } = configure(folder, { clear, tls });
  const judged = spawnSync(proxy, [...judge, ...run], { encoding: 'utf8' });
  const child = spawn(proxy, run, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const ended = once(child, 'close');
  context.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const ca = readFileSync(certificate);
  const ask = (target: string, { method = 'GET', headers = {}, body, agent }: Wish = {}) =>
    new Promise<Reply>((resolve, reject) => {
      const place = { host: '127.0.0.1', port: tls, servername: name, ca, agent: agent ?? false };
      const asking = request(
        { ...place, path: target, method, headers: { host: name, ...headers } },
        (reply) => {
          let text = '';
          reply.setEncoding('utf8');
          reply.on('data', (chunk: string) => {
            text += chunk;
          });
          reply.on('end', () => resolve({ status: reply.statusCode, headers: reply.headers, body: text }));
          reply.on('error', reject);
        },
      );
      asking.on('error', reject);
      asking.end(body);
    });
  for (;;) {
    if (child.exitCode !== null) assert.fail(`the proxy ended: ${errors}`);
    // It listens when it refuses nobody; what is behind it is another matter.
    const isThere = await ask('/metrics').then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ECONNREFUSED' && Promise.reject(error),
    );
    if (isThere) break;
    await setTimeout(20);
  }
  return {
    folder,
    clearPort: clear,
    tlsPort: tls,
    verdict: { status: judged.status, text: `${judged.stdout}${judged.stderr}` },
    ask,
  };
}

/** A proxy cannot be told to take any free one. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    return address.port;
  });
  await Promise.all(servers.map((server) => server.close() && once(server, 'close')));
  return ports;
}
