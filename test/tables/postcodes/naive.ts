// Which postcodes lie near a point, and what a half typed text can mean, worked out in the plainest way: every row is looked at.

import type { PostcodeRow } from '../../../src/tables/postcodes/postcodes.ts';
import { distanceMetres } from '../../../src/uk/grid.ts';

type Circle = { latitudeDegrees: number; longitudeDegrees: number; radiusMetres: number };

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export const inUseOf = (rows: readonly PostcodeRow[]) =>
  rows.filter(({ terminated }) => terminated === null).toSorted((a, b) => byText(a.postcode, b.postcode));

export function naiveNear(rows: readonly PostcodeRow[], circle: Circle, limit: number) {
  return inUseOf(rows)
    .flatMap((postcode) => {
      const { point } = postcode;
      if (point === null) return [];
      const metres = distanceMetres(
        circle.latitudeDegrees,
        circle.longitudeDegrees,
        point.latitudeDegrees,
        point.longitudeDegrees,
      );
      return metres <= circle.radiusMetres ? [{ postcode, point, metres }] : [];
    })
    .sort((a, b) => a.metres - b.metres || byText(a.postcode.postcode, b.postcode.postcode))
    .slice(0, limit);
}

export type NaivePlace = {
  readonly kind: 'authority' | 'region' | 'county' | 'ward';
  readonly code: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly within: string;
};

const kinds = ['authority', 'region', 'county', 'ward'];

/** Names of outcodes, postcodes and codes of places, at most `limit` of each. */
export function naiveComplete(
  rows: readonly PostcodeRow[],
  places: readonly NaivePlace[],
  text: string,
  limit: number,
) {
  const coded = places.filter(({ code }) => code === text.trim().toUpperCase());
  if (coded.length > 0) return { outcodes: [], postcodes: [], places: coded.map(({ code }) => code) };
  const inUse = inUseOf(rows).map(({ postcode }) => postcode);
  const outcodes = [...new Set(inUse.map((postcode) => postcode.split(' ')[0] ?? ''))];
  const upper = text.toUpperCase();
  const [, first = '', rest = ''] = /^\s*(\S+)\s(.*)$/s.exec(upper) ?? [];
  const second = rest.replace(/\s/g, '');
  const ended = first === '' ? [] : inUse.filter((postcode) => postcode.startsWith(`${first} ${second}`));
  const start = upper.replace(/\s/g, '');
  const open = start === '' ? [] : inUse.filter((postcode) => postcode.replace(' ', '').startsWith(start));
  return {
    outcodes: (ended.length > 0
      ? outcodes.filter((outcode) => second === '' && outcode === first)
      : outcodes.filter((outcode) => start !== '' && outcode.startsWith(start))
    ).slice(0, limit),
    postcodes: (ended.length > 0 ? ended : /\d/.test(start) ? open : []).slice(0, limit),
    places: naivePlaces(places, fold(text)).slice(0, limit),
  };
}

function naivePlaces(places: readonly NaivePlace[], typed: string): readonly string[] {
  if (typed === '') return [];
  return places
    .flatMap((place) => {
      const names = place.names.flatMap((name) => {
        const words = fold(name).split(' ');
        const with_ = (saint: string) =>
          words.map((word) => (word === 'st' || word === 'saint' ? saint : word));
        return [with_('st'), with_('saint')];
      });
      const isWhole = names.some((words) => words.join(' ') === typed);
      const isStart = names.some((words) => words.join(' ').startsWith(typed));
      const isLater = names.some((words) =>
        words.some((_, at) => words.slice(at).join(' ').startsWith(typed)),
      );
      if (!isLater) return [];
      return [{ place, rank: isWhole ? 0 : isStart ? 1 : 2 }];
    })
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        kinds.indexOf(a.place.kind) - kinds.indexOf(b.place.kind) ||
        byText(fold(a.place.name), fold(b.place.name)) ||
        byText(a.place.within, b.place.within) ||
        byText(a.place.code, b.place.code),
    )
    .map(({ place }) => place.code);
}

/** Letter by letter. */
function fold(text: string): string {
  let folded = '';
  for (const letter of text.normalize('NFD').toLowerCase()) {
    if (/\p{M}/u.test(letter) || "'’‘`".includes(letter)) continue;
    if (letter === '&') folded += ' and ';
    else folded += /[\p{L}\p{N}]/u.test(letter) ? letter : ' ';
  }
  return folded.split(' ').filter(Boolean).join(' ');
}
