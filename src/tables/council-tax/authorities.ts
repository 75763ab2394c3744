// The billing authorities of Great Britain, the codes they had before, and the councils they replaced.

import { defined } from '../../out-of-range.ts';
import { i32, oneOf, strings, u8, u32 } from '../../release/column.ts';
import type { Columns } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import { table } from '../../release/table.ts';
import { type Nation, nations } from '../../uk/council-tax-bands.ts';
import { foldName, joinKey } from '../../uk/place-name.ts';

export const authoritiesPart = 'authorities';
export const abolishedPart = 'authorities-abolished';

export const categories = [
  'London borough',
  'Metropolitan district',
  'Non-metropolitan district',
  'Unitary authority',
  'Scottish council',
  'Welsh principal area',
] as const;
type Category = (typeof categories)[number];

const origin = { dataset: 'authorities', layout: 1 } as const;

export const authoritiesTable = table({
  part: authoritiesPart,
  origin,
  about: 'The billing authorities of Great Britain. An empty text is "none".',
  order: 'by code',
  columns: {
    code: strings('authority', 'the ONS code that it has today'),
    name: strings('authority', 'as ONS calls the area'),
    'full-name': strings('authority', 'as the council calls itself'),
    nation: u8('authority', 'where it lies', oneOf(nations)),
    category: u8('authority', 'what kind of council it is', oneOf(categories)),
    website: strings('authority', 'address of its website'),
    'e-code': strings('authority', "MHCLG's own code; England only"),
    'former-codes': strings('authority', 'separated by a space'),
    dwellings: u32('authority', 'how many homes have a band; 0: not known'),
  },
});

export const abolishedTable = table({
  part: abolishedPart,
  origin,
  about: 'Councils that the authorities of today replaced.',
  order: 'by code',
  columns: {
    code: strings('council', 'the ONS code that it had'),
    name: strings('council', 'as ONS called the area'),
    'e-code': strings('council', "MHCLG's own code; empty: none"),
    abolished: i32('council', 'first day without it, in days since 1970-01-01'),
    successors: strings('council', 'codes of today, separated by a space'),
  },
});

export type Authority = {
  /** The ONS code it has today. */
  readonly code: string;
  /** As ONS calls the area: `Westminster`. Publishers and callers write it; answers never do. */
  readonly name: string;
  /** As the council calls itself, and every answer calls it: `City of Westminster`. */
  readonly fullName: string;
  readonly nation: Nation;
  readonly category: Category;
  readonly websiteUrl: string | null;
  /** MHCLG's own code; England only. */
  readonly eCode: string | null;
  readonly formerCodes: readonly string[];
  /** How many homes have a band; known in England and Wales. */
  readonly dwellings: number | null;
};

export type AbolishedAuthority = {
  readonly code: string;
  readonly name: string;
  readonly eCode: string | null;
  /** First day on which it no longer existed. */
  readonly abolishedDay: number;
  /** Codes of the authorities that cover its area today. */
  readonly successors: readonly string[];
};

/** `list` in any order; kept by code. */
export function encodeAuthorities(list: readonly Authority[]): Columns {
  const ordered = list.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return authoritiesTable.encode({
    code: ordered.map(({ code }) => code),
    name: ordered.map(({ name }) => name),
    'full-name': ordered.map(({ fullName }) => fullName),
    nation: Uint8Array.from(ordered, ({ nation }) => nations.indexOf(nation)),
    category: Uint8Array.from(ordered, ({ category }) => categories.indexOf(category)),
    website: ordered.map(({ websiteUrl }) => websiteUrl ?? ''),
    'e-code': ordered.map(({ eCode }) => eCode ?? ''),
    'former-codes': ordered.map(({ formerCodes }) => formerCodes.join(' ')),
    dwellings: Uint32Array.from(ordered, ({ dwellings }) => dwellings ?? 0),
  });
}

export function encodeAbolished(list: readonly AbolishedAuthority[]): Columns {
  const ordered = list.toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return abolishedTable.encode({
    code: ordered.map(({ code }) => code),
    name: ordered.map(({ name }) => name),
    'e-code': ordered.map(({ eCode }) => eCode ?? ''),
    abolished: Int32Array.from(ordered, ({ abolishedDay }) => abolishedDay),
    successors: ordered.map(({ successors }) => successors.join(' ')),
  });
}

type AuthorityQuery = {
  /** Fragment of a name or code. */
  readonly text?: string | undefined;
  readonly nation?: string | undefined;
  readonly category?: string | undefined;
  readonly limit: number;
  /** How many to leave out before them. */
  readonly offset?: number;
};

type Entry = { readonly authority: Authority; readonly names: readonly string[]; readonly codes: string[] };

export class Authorities {
  readonly #entries: readonly Entry[];
  readonly #byCode = new Map<string, Authority>();
  readonly #byEcode = new Map<string, Authority>();
  readonly #byName = new Map<string, Authority | 'several'>();
  readonly #abolished = new Map<string, AbolishedAuthority>();
  readonly #abolishedEcodes = new Set<string>();

  constructor(list: readonly Authority[], abolished: readonly AbolishedAuthority[]) {
    this.#entries = list
      .toSorted(
        (a, b) => compareTexts(foldName(a.fullName), foldName(b.fullName)) || compareTexts(a.code, b.code),
      )
      .map((authority) => ({
        authority,
        names: [foldName(authority.name), foldName(authority.fullName)],
        codes: [authority.code, ...authority.formerCodes].map((code) => code.toLowerCase()),
      }));
    for (const { authority } of this.#entries) this.#index(authority);
    for (const gone of abolished) {
      this.#abolished.set(gone.code, gone);
      if (gone.eCode !== null) this.#abolishedEcodes.add(gone.eCode);
    }
  }

  get length(): number {
    return this.#entries.length;
  }

  /** By full name. */
  get all(): readonly Authority[] {
    return this.#entries.map(({ authority }) => authority);
  }

  /** By the code it has or had, in any case. */
  find(code: string): Authority | undefined {
    return this.#byCode.get(code.trim().toUpperCase());
  }

  findByEcode(eCode: string): Authority | undefined {
    return this.#byEcode.get(eCode);
  }

  /** By a name as a publisher of that nation writes it; undefined also where several authorities have it. */
  findByName(nation: Nation, name: string): Authority | undefined {
    const found = this.#byName.get(`${nation} ${joinKey(name)}`);
    return found === 'several' ? undefined : found;
  }

  /** Names that people and publishers have for it, the full one first. */
  namesOf({ code, name, fullName }: Authority): readonly string[] {
    return [fullName, name, ...(otherNames[code] ?? [])];
  }

  findAbolished(code: string): AbolishedAuthority | undefined {
    return this.#abolished.get(code.trim().toUpperCase());
  }

  isAbolishedEcode(eCode: string): boolean {
    return this.#abolishedEcodes.has(eCode);
  }

  /**
   * Those that fit all of the query. First an exact code, then an exact name, then where a word (or a code) begins
   * with the text, then where it stands anywhere; within each by name, then by code.
   */
  search({ text, nation, category, limit, offset = 0 }: AuthorityQuery): readonly Authority[] {
    const wanted = foldName(text ?? '');
    if (wanted === '' && (text ?? '').trim() !== '') return [];
    const ranked: Authority[][] = [[], [], [], []];
    for (const { authority, names, codes } of this.#entries) {
      if (nation !== undefined && !isSameWord(authority.nation, nation)) continue;
      if (category !== undefined && !isSameWord(authority.category, category)) continue;
      const rank = wanted === '' ? 0 : rankOf(wanted, names, codes);
      if (rank !== undefined) ranked[rank]?.push(authority);
    }
    return ranked.flat().slice(offset, offset + limit);
  }

  #index(authority: Authority): void {
    const { code, formerCodes, eCode, nation } = authority;
    for (const known of [code, ...formerCodes]) this.#byCode.set(known, authority);
    if (eCode !== null) this.#byEcode.set(eCode, authority);
    for (const written of this.namesOf(authority)) {
      const key = `${nation} ${joinKey(written)}`;
      const known = this.#byName.get(key);
      this.#byName.set(key, known === undefined || known === authority ? authority : 'several');
    }
  }
}

/** Names in publications that follow no rule. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  S12000013: ['Eilean Siar', 'Western Isles', 'Na h-Eileanan an Iar'],
  W06000001: ['Ynys Môn'],
  W06000016: ['Rhondda Cynon Taff'],
};

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const isSameWord = (a: string, b: string) => a.toLowerCase() === b.trim().toLowerCase();

function rankOf(wanted: string, names: readonly string[], codes: readonly string[]): number | undefined {
  if (codes.includes(wanted)) return 0;
  if (names.includes(wanted)) return 1;
  const texts = [...names, ...codes];
  if (texts.some((text) => ` ${text}`.includes(` ${wanted}`))) return 2;
  return texts.some((text) => text.includes(wanted)) ? 3 : undefined;
}

/** Throws ReleaseDamaged when the release has no such table; ask `findDataset('authorities')` first. */
export const openAuthorities: (release: Release) => Authorities = oncePerRelease((release) => {
  const columns = authoritiesTable.open(release);
  const list = Array.from(
    columns.nation,
    (nation, index): Authority => ({
      code: columns.code.at(index),
      name: columns.name.at(index),
      fullName: columns['full-name'].at(index),
      nation: defined(nations[nation]),
      category: defined(categories[defined(columns.category[index])]),
      websiteUrl: columns.website.at(index) || null,
      eCode: columns['e-code'].at(index) || null,
      formerCodes: words(columns['former-codes'].at(index)),
      dwellings: columns.dwellings[index] || null,
    }),
  );
  return new Authorities(list, abolishedTable.isIn(release) ? readAbolished(release) : []);
});

function readAbolished(release: Release): readonly AbolishedAuthority[] {
  const { code, name, 'e-code': eCode, abolished, successors } = abolishedTable.open(release);
  return Array.from(abolished, (abolishedDay, index) => ({
    code: code.at(index),
    name: name.at(index),
    eCode: eCode.at(index) || null,
    abolishedDay,
    successors: words(successors.at(index)),
  }));
}

const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');
