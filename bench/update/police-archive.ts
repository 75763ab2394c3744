// A made-up archive of data.police.uk as one zip in the official shape: a folder a month, and in it street, outcomes and
// stop-and-search files of every force.

import { hash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32, deflateRaw, type ZlibOptions } from 'node:zlib';
import { randomFrom } from '../../scripts/random.ts';
import { formatMonth } from '../../src/uk/calendar.ts';
import { crimeCategories } from '../../src/uk/police.ts';
import { forceCount, makeCategory, makeCount, makeOutcome, makePoint, months } from '../crime/made-up.ts';

const outcomes = [
  '',
  'Investigation complete; no suspect identified',
  'Unable to prosecute suspect',
  'Under investigation',
  'Awaiting court outcome',
  'Local resolution',
  'Offender given a caution',
  'Court result unavailable',
  'Action to be taken by another organisation',
  'Suspect charged',
  'Formal action is not in the public interest',
  'Status update unavailable',
  'Offender fined',
];
const streetTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Crime type,Last outcome category,Context\n';
const outcomeTitles =
  'Crime ID,Month,Reported by,Falls within,Longitude,Latitude,Location,LSOA code,LSOA name,Outcome type\n';
const searches =
  'Type,Date,Part of a policing operation,Policing operation,Latitude,Longitude,Gender,Age range,Self-defined ethnicity,Officer-defined ethnicity,Legislation,Object of search,Outcome,Outcome linked to object of search,Removal of more than just outer clothing\n';
/** An outcome comes so many months after its crime at most; in the month itself most often. */
const slowestOutcome = 6;

type Entry = { readonly name: string; readonly text: string };
type Place = { readonly force: number; readonly text: string };

type Force = { readonly slug: string; readonly name: string };

export type ArchiveSize = {
  /** Of 36 months, however many the archive has of them. */
  readonly incidents: number;
  readonly points: number;
  readonly seed: number;
  readonly from: number;
  /** Included. */
  readonly to: number;
  /** In the place of the first made-up ones. */
  readonly forces?: readonly Force[];
};

function makePlaces(points: number, random: () => number): readonly Place[] {
  return Array.from({ length: points }, (_, index) => {
    const { latitudeMicro, longitudeMicro, force } = makePoint(random);
    const lsoa = `E0${1_000_000 + Math.floor(index / 20)}`;
    const at = `${(longitudeMicro / 1e6).toFixed(6)},${(latitudeMicro / 1e6).toFixed(6)}`;
    return {
      force,
      text: `${at},On or near Made Up Street ${index % 90_000},${lsoa},District ${Math.floor(index / 2000)} 001A`,
    };
  }).sort((a, b) => a.force - b.force);
}

/** Files of the archive, one after the other. */
export function* archiveEntries({
  incidents,
  points,
  seed,
  from,
  to,
  forces = [],
}: ArchiveSize): Generator<Entry> {
  const random = randomFrom(seed);
  const places = makePlaces(points, random);
  const mean = incidents / points / months;
  /** Rows of outcomes files of months to come, by month and force. */
  const later = new Map<string, string>();
  let number = 0;
  for (let month = from; month <= to; month += 1) {
    const text = formatMonth(month);
    let at = 0;
    for (let force = 0; force < forceCount; force += 1) {
      const { name: who, slug } = forces[force] ?? { name: `Force ${force} Police`, slug: `force-${force}` };
      const file = `${text}/${text}-${slug}`;
      let rows = streetTitles;
      for (; places[at]?.force === force; at += 1) {
        for (let count = makeCount(random, mean); count > 0; count -= 1) {
          const category = crimeCategories[makeCategory(random)]?.name ?? '';
          const hasId = category !== 'Anti-social behaviour';
          const label = hasId ? (outcomes[makeOutcome(random)] ?? '') : '';
          number += 1;
          const id = hasId ? hash('sha256', `${seed} ${month} ${number}`) : '';
          const place = `${who},${who},${places[at]?.text}`;
          rows += `${id},${text},${place},${category},${label},\n`;
          if (label === '' || label === 'Under investigation') continue;
          const when = month + Math.floor(slowestOutcome * random() ** 2);
          const key = `${when} ${force}`;
          later.set(key, `${later.get(key) ?? ''}${id},${formatMonth(when)},${place},${label}\n`);
        }
      }
      const key = `${month} ${force}`;
      yield { name: `${file}-street.csv`, text: rows };
      yield { name: `${file}-outcomes.csv`, text: outcomeTitles + (later.get(key) ?? '') };
      yield { name: `${file}-stop-and-search.csv`, text: searches };
      later.delete(key);
    }
  }
}

/** Unpacking takes as long whatever the level. */
const deflated = (bytes: Buffer) => promisify<Buffer, ZlibOptions, Buffer>(deflateRaw)(bytes, { level: 1 });
/** Entries that are compressed at the same time. */
const ahead = 3;

/** Writes entries as one zip, without holding more than a few of them. */
export async function writeZip(
  file: string,
  entries: Iterable<Entry>,
): Promise<{ bytes: number; plain: number }> {
  const out = openSync(file, 'w');
  const directory: Buffer[] = [];
  const waiting: Promise<() => void>[] = [];
  let offset = 0;
  let plain = 0;
  const compress = async ({ name, text }: Entry) => {
    const bytes = Buffer.from(text);
    const packed = await deflated(bytes);
    return () => {
      const title = Buffer.from(name);
      const facts = Buffer.alloc(26);
      facts.writeUInt16LE(20, 0);
      facts.writeUInt16LE(8, 4);
      facts.writeUInt32LE(crc32(bytes), 10);
      facts.writeUInt32LE(packed.length, 14);
      facts.writeUInt32LE(bytes.length, 18);
      facts.writeUInt16LE(title.length, 22);
      const place = Buffer.alloc(14);
      place.writeUInt32LE(offset, 10);
      directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, title]));
      const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, title]);
      for (const part of [local, packed]) offset += writeSync(out, part);
      plain += bytes.length;
    };
  };
  for (const entry of entries) {
    waiting.push(compress(entry));
    if (waiting.length > ahead) (await waiting.shift())?.();
  }
  for (const write of waiting) (await write)();
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  writeSync(out, central);
  writeSync(out, end);
  closeSync(out);
  return { bytes: offset + central.length + end.length, plain };
}
