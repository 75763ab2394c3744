// The matcher on real addresses: those sold in Greater Manchester in 2019, Newcastle in 2022 and all over in 1995,
// each written in several ways among the others of its postcode, and looked for where it is missing.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { matchAddress } from '../../../src/uk/address/match.ts';
import { realFile, testWith } from '../../requirements.ts';

const registered = realFile('data/pricepaid');

type Home = {
  readonly saon: string;
  readonly paon: string;
  readonly street: string;
  readonly locality: string;
  readonly town: string;
};

const files: readonly { readonly name: string; readonly saon: number; readonly paon: number }[] = [
  { name: 'greater_manchester_2019.csv', saon: 7, paon: 8 },
  { name: 'newcastle_2022.csv', saon: 7, paon: 8 },
  { name: 'pp-complete_first10298rows_1995.csv', saon: 8, paon: 7 },
];

/** By postcode, at least three each. */
function readHomes(folder: string): ReadonlyMap<string, readonly Home[]> {
  const found = new Map<string, Map<string, Home>>();
  for (const { name, saon: saonAt, paon: paonAt } of files) {
    for (const row of firstRows(readFileSync(path.join(folder, name)), Number.POSITIVE_INFINITY, 'utf-8')) {
      const [, , , postcode = '', , , , , , street = '', locality = '', town = ''] = row;
      if (!/^[A-Z]{1,2}\d/.test(postcode)) continue;
      const [saon, paon] = [row[saonAt] ?? '', row[paonAt] ?? ''];
      const home = { saon: paon === '' ? '' : saon, paon: paon || saon, street, locality, town };
      const homes = found.get(postcode) ?? new Map<string, Home>();
      found.set(postcode, homes.set(listed(home), home));
    }
  }
  return new Map(
    [...found].flatMap(([postcode, homes]) =>
      homes.size < 3 ? [] : [[postcode, [...homes.values()]] as const],
    ),
  );
}

const join = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(', ');
const first = ({ paon, street }: Home) =>
  /\d[A-Z]?$/.test(paon) ? `${paon.replace(/\s*-\s*/, '-')} ${street}` : join(paon, street);
/** As valuation lists write it. */
const listed = (home: Home) =>
  join(home.saon, first(home), home.locality === home.town ? '' : home.locality, home.town);

const short: readonly (readonly [RegExp, string])[] = [
  [/\bROAD\b/g, 'Rd'],
  [/\bSTREET\b/g, 'St'],
  [/\bAVENUE\b/g, 'Ave'],
  [/\bCLOSE\b/g, 'Cl'],
  [/\bDRIVE\b/g, 'Dr'],
  [/\bCOURT\b/g, 'Ct'],
  [/\bAPARTMENT\b/g, 'Apt'],
  [/\bCRESCENT\b/g, 'Cres'],
  [/\bGARDENS\b/g, 'Gdns'],
  [/\bGROVE\b/g, 'Gr'],
  [/\bTERRACE\b/g, 'Terr'],
];

const styles: Readonly<Record<string, (home: Home) => string>> = {
  'in the order of the register': (home) => join(home.paon, home.saon, home.street, home.locality, home.town),
  'flat first': (home) => join(home.saon, home.paon, home.street, home.town),
  'without commas': ({ saon, paon, street, town }) => [saon, paon, street, town].join(' ').toLowerCase(),
  'without town': (home) => join(home.saon, first(home)),
  'with neither': ({ saon, paon, street }) => [saon, paon, street].join(' '),
  abbreviated: (home) => short.reduce((text, [long, form]) => text.replace(long, form), listed(home)),
  'without the word flat': (home) => join(home.saon, first(home)).replace(/^(?:FLAT|APARTMENT) /, ''),
};

testWith(
  registered,
  'real addresses are found however they are written, and never where they are missing',
  (folder) => {
    const wrong: string[] = [];
    const missed: string[] = [];
    let asked = 0;
    for (const [postcode, homes] of readHomes(folder)) {
      const candidates = homes.map(listed);
      for (const [index, home] of homes.entries()) {
        for (const write of Object.values(styles)) {
          const text = write(home);
          asked += 1;
          const match = matchAddress(text, postcode, candidates);
          if (match.kind !== 'matched') missed.push(`${text} in ${postcode}`);
          else if (match.index !== index) wrong.push(`${text} → ${candidates[match.index]}`);
        }
        const rest = candidates.toSpliced(index, 1);
        const absent = matchAddress(styles['without town']?.(home) ?? '', postcode, rest);
        if (absent.kind === 'matched') wrong.push(`${listed(home)}, missing → ${rest[absent.index]}`);
      }
    }
    assert.ok(asked > 40_000, `only ${asked} asked`);
    assert.deepEqual(wrong, []);
    // "20, The Cedars, Park Road" may be a house in The Cedars, and so is not taken for Flat 20.
    assert.ok(missed.length <= asked / 1000, `missed ${missed.length} of ${asked}:\n${missed.join('\n')}`);
  },
);

const swapped: Readonly<Record<string, string>> = {
  ROAD: 'STREET',
  STREET: 'ROAD',
  AVENUE: 'CLOSE',
  CLOSE: 'AVENUE',
  DRIVE: 'LANE',
  LANE: 'DRIVE',
  GROVE: 'GARDENS',
  GARDENS: 'GROVE',
};

/** Each makes another home of it, or leaves it as it is. */
const changes: readonly ((home: Home) => Home)[] = [
  (home) => ({ ...home, paon: home.paon.replace(/\d+/, (digits) => String(Number(digits) + 2)) }),
  (home) => ({ ...home, paon: home.paon.replace(/\d/, (digit) => digit + digit) }),
  (home) => ({ ...home, paon: `${home.paon}A` }),
  (home) => ({ ...home, paon: home.paon.replace(/[A-Z]$/, 'X') }),
  (home) => ({ ...home, saon: home.saon.replace(/\d+/, (digits) => String(Number(digits) + 1)) }),
  (home) => ({ ...home, saon: home.saon === '' ? 'FLAT 1' : '' }),
  (home) => (home.saon === '' ? { ...home, saon: 'FIRST FLOOR FLAT' } : home),
  (home) => ({ ...home, saon: join(home.saon, 'REAR OF') }),
  (home) => ({ ...home, street: home.street.replace(/\w+$/, (type) => swapped[type] ?? type) }),
];

const identityOf = ({ saon, paon, street }: Home) => `${saon} ${paon} ${street}`.replace(/[^A-Z0-9]+/g, '');

testWith(
  registered,
  'a real address with another number, letter, flat or kind of street is never matched',
  (folder) => {
    const wrong: string[] = [];
    let asked = 0;
    for (const [postcode, homes] of readHomes(folder)) {
      const candidates = homes.map(listed);
      const known = new Set(homes.map(identityOf));
      // A house that has a name beside its number may be asked for by either.
      for (const [index, home] of homes.filter(({ paon }) => /^\d+[A-Z]?$/.test(paon)).entries()) {
        for (const change of changes) {
          const other = change(home);
          if (known.has(identityOf(other))) continue;
          asked += 1;
          const text = listed(other);
          const match = matchAddress(
            index % 2 === 0 ? text : text.replaceAll(',', '').toLowerCase(),
            postcode,
            candidates,
          );
          const found = match.kind === 'matched' ? (candidates[match.index] ?? '') : '';
          // Some homes are in the register a second time, with a name or a second street more.
          const isSecond = found.split(', ').includes(first(other)) && other.saon === '';
          if (found !== '' && !isSecond) wrong.push(`${text} → ${found}`);
        }
      }
    }
    assert.ok(asked > 30_000, `only ${asked} asked`);
    assert.deepEqual(wrong, []);
  },
);
