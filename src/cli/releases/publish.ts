// `domesday releases publish`: puts a release of this home where replicas fetch it from.

import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readSettings } from '../../config.ts';
import { folderTarget } from '../../depot/folder-target.ts';
import { clearOut, publish } from '../../depot/publish.ts';
import { isS3Address, readBucket } from '../../depot/s3-address.ts';
import { s3Target } from '../../depot/s3-target.ts';
import { readPrivateKey } from '../../depot/signature.ts';
import type { Target } from '../../depot/target.ts';
import { errorCode } from '../../errno.ts';
import type { Release } from '../../release/reader.ts';
import { openHome } from '../../release/store.ts';
import { layouts } from '../../tables/index.ts';
import { hourMs } from '../../time.ts';
import { systemClock } from '../../update/web/clock.ts';
import {
  CommandRefused,
  counted,
  formatCount,
  type Io,
  printJson,
  readArgs,
  readWhole,
  WrongUsage,
} from '../command.ts';
import { requireHome } from '../home.ts';

const usualSpareHours = 24;

const options = {
  home: { type: 'string' },
  json: { type: 'boolean' },
  release: { type: 'string' },
  'roll-back': { type: 'boolean' },
  unsigned: { type: 'boolean' },
  sample: { type: 'boolean' },
  keep: { type: 'string' },
  'keep-hours': { type: 'string' },
} as const;

export async function publishRelease(args: readonly string[], io: Io): Promise<void> {
  const { values, positionals } = readArgs(args, options);
  const [where, extra] = positionals;
  if (where === undefined)
    throw new WrongUsage('Name a folder or s3://BUCKET/PREFIX: `domesday releases publish TARGET`.');
  if (extra !== undefined) throw new WrongUsage(`releases publish takes no "${extra}".`);
  const keep = values.keep === undefined ? undefined : readWhole(values.keep, '--keep', 1);
  const spareHours = readWhole(values['keep-hours'] ?? String(usualSpareHours), '--keep-hours', 0);
  if (values['keep-hours'] !== undefined && keep === undefined)
    throw new WrongUsage('--keep-hours belongs to --keep.');
  const { home, signingKey } = readSettings(io.env, { home: values.home });
  requireHome(home);
  const store = openHome(home, layouts).releases;
  const release = values.release === undefined ? store.openCurrent() : store.open(values.release);
  tellOfSample(release, values.sample === true ? 'publish' : 'refuse', io);
  const key = signingKey === undefined ? undefined : readKey(signingKey);
  const allowed = new Set<'older' | 'unsigned'>();
  if (values['roll-back'] === true) allowed.add('older');
  if (values.unsigned === true) allowed.add('unsigned');
  const target = openTarget(where, io);
  const lock = target.lock();
  try {
    const published = await publish({ target, release, now: io.now, signingKey: key, allowed });
    const order = { target, spareMs: spareHours * hourMs, nowMs: io.now() };
    const removed = keep === undefined ? undefined : await clearOut({ ...order, keep });
    const told = { release: release.id, signed: key !== undefined, ...published, removed: removed ?? null };
    if (values.json === true) printJson(io, told);
    else io.out(inWords(told, where));
  } finally {
    lock.release();
  }
}

type Told = Awaited<ReturnType<typeof publish>> & {
  readonly release: string;
  readonly signed: boolean;
  readonly removed: Awaited<ReturnType<typeof clearOut>> | null;
};

function inWords(told: Told, where: string): string {
  const { kind, release, sequence, signed, files, bytes, filesInAll, removed } = told;
  const how = `sequence ${sequence}, ${signed ? 'signed' : 'not signed'}`;
  const weight = `${formatCount(files)} of ${counted(filesInAll, 'file')} written, ${counted(bytes, 'byte')}`;
  const lines = [
    kind === 'published'
      ? `Release ${release} is published in ${where} (${how}; ${weight}).`
      : `Release ${release} is already the newest in ${where} (${how}; ${weight}).`,
    ...(removed === null
      ? []
      : [
          `Removed ${counted(removed.releases, 'older release')} and ${counted(removed.files, 'file')} that no other release needs, ${counted(removed.bytes, 'byte')}.`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

function openTarget(where: string, { env }: Io): Target {
  if (isS3Address(where)) return s3Target(where.replace(/\/+$/, ''), readBucket(where, env), systemClock);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(where))
    throw new WrongUsage(`Cannot publish to "${where}"; name a folder or s3://BUCKET/PREFIX.`);
  return folderTarget(path.resolve(where));
}

/** Replicas would serve a few places as if they were the country. */
function tellOfSample({ id, manifest }: Release, sample: 'publish' | 'refuse', io: Io): void {
  if (manifest.kind === 'sample' && sample === 'refuse')
    throw new CommandRefused(
      `Release ${id} is the bundled sample, which has only a few places; load the whole country with \`domesday update\`, or publish it on purpose with --sample.`,
    );
  const sampled = manifest.datasets.filter(({ extent }) => extent === 'sample').map(({ name }) => name);
  if (sampled.length > 0) io.err(`Still from the bundled sample: ${sampled.join(', ')}.\n`);
}

function readKey(file: string): KeyObject {
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    const code = errorCode(error);
    throw new CommandRefused(`Cannot read the key ${file} (${code}); correct DOMESDAY_SIGNING_KEY.`);
  }
  const key = readPrivateKey(pem);
  if (key === undefined)
    throw new CommandRefused(`${file} has no signing key; \`domesday releases keygen FILE\` makes one.`);
  return key;
}
