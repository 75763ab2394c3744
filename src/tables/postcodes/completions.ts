// What a half typed text can mean: outward codes and postcodes that begin so, and places with a word that does, or with the text
// as their whole code. Postcodes come from their own table, whose order is that of the alphabet; the rest was worked out at the
// ingest.

import { firstIndex } from '../../columns/sorted.ts';
import { defined } from '../../out-of-range.ts';
import { encodePart, Part } from '../../release/part.ts';
import { oncePerRelease, type Release } from '../../release/reader.ts';
import type { Views } from '../../release/table.ts';
import type { LatLong } from '../../uk/grid.ts';
import { foldWords } from '../../uk/place-name.ts';
import { type PackedRange, packPostcodeText, unpackPostcode } from '../../uk/postcode.ts';
import { deriveCompletions } from './completions-builder.ts';
import {
  type CompletionKind,
  completionKinds,
  completionsPart,
  completionsTable,
} from './completions-table.ts';
import { noPoint, openPostcodes, type PostcodeRow, type Postcodes } from './postcodes.ts';

/** No name is longer; what is, is not looked at. */
const longestText = 100;

export type CompletedPlace = {
  readonly kind: CompletionKind;
  /** Null for an outward code. */
  readonly code: string | null;
  readonly name: string;
  /** Authority or nation that it lies in, where known. */
  readonly within: string | null;
  /** The mean of its postcodes in use. */
  readonly point: LatLong | null;
  /** The one in use nearest to it. */
  readonly postcode: string;
};

type Completed = {
  readonly outcodes: readonly CompletedPlace[];
  readonly postcodes: readonly PostcodeRow[];
  readonly places: readonly CompletedPlace[];
};

class Completions {
  readonly #postcodes: Postcodes;
  readonly #columns: Views<typeof completionsTable.columns>;
  #placesByCode: ReadonlyMap<string, number> | undefined;

  constructor(postcodes: Postcodes, columns: Views<typeof completionsTable.columns>) {
    this.#postcodes = postcodes;
    this.#columns = columns;
  }

  /**
   * At most `limit` of each sort. Case, accents and signs do not matter. A space after a whole outward code ends it; any other
   * space within a postcode counts for nothing. Postcodes are listed from the first digit on. A whole code means its place.
   */
  complete(text: string, limit: number): Completed {
    if (text.length > longestText) return { outcodes: [], postcodes: [], places: [] };
    const coded = this.#withCode(text.trim().toUpperCase());
    if (coded !== undefined) return { outcodes: [], postcodes: [], places: [this.#describe(coded)] };
    const isOutcode = (kind: CompletionKind) => kind === 'outcode';
    const places = this.#placesWith(foldWords(text), (kind) => !isOutcode(kind), limit);
    const upper = text.toUpperCase();
    const [, first = '', rest = ''] = /^\s*(\S+)\s(.*)$/s.exec(upper) ?? [];
    const ended = this.#ofOutcode(first, compact(rest), limit);
    if (ended.length > 0) {
      const outcodes = compact(rest) === '' ? this.#placesWith(foldWords(first), isOutcode, 1) : [];
      return { outcodes, postcodes: ended, places };
    }
    const start = compact(upper);
    if (!/^[A-Z][A-Z0-9]{0,6}$/.test(start)) return { outcodes: [], postcodes: [], places };
    return {
      outcodes: this.#placesWith(start.toLowerCase(), isOutcode, limit),
      postcodes: /\d/.test(start) ? this.#beginningWith(start, limit) : [],
      places,
    };
  }

  /** Only whole codes: the beginning of one, such as S12, is an outward code to whoever types it. */
  #withCode(code: string): number | undefined {
    if (!/^[A-Z]\d{8}$/.test(code)) return undefined;
    const { code: codes, kind: kinds } = this.#columns;
    this.#placesByCode ??= new Map(Array.from(kinds, (_, place) => [codes.at(place), place]));
    return this.#placesByCode.get(code);
  }

  /** A text that is a key comes first, then what begins with it, then what has a later word that does; each by kind and
   *  name. */
  #placesWith(
    start: string,
    isWanted: (kind: CompletionKind) => boolean,
    limit: number,
  ): readonly CompletedPlace[] {
    if (start === '') return [];
    const { 'key-text': texts, 'key-place': places, 'key-form': forms, kind: kinds } = this.#columns;
    const ranks: number[] = [];
    const first = firstIndex(0, texts.length, (key) => texts.at(key) >= start);
    for (let key = first; key < texts.length; key += 1) {
      const text = texts.at(key);
      if (!text.startsWith(start)) break;
      const place = defined(places[key]);
      if (!isWanted(defined(completionKinds[defined(kinds[place])]))) continue;
      const form = defined(forms[key]);
      ranks.push((form === 0 ? (text === start ? 0 : 1) : 2) * kinds.length + place);
    }
    const found = new Set<number>();
    for (const rank of Uint32Array.from(ranks).sort()) {
      found.add(rank % kinds.length);
      if (found.size === limit) break;
    }
    return [...found].map((place) => this.#describe(place));
  }

  #describe(place: number): CompletedPlace {
    const { kind, code, name, within, latitude, longitude, postcode } = this.#columns;
    const north = defined(latitude[place]);
    return {
      kind: defined(completionKinds[defined(kind[place])]),
      code: code.at(place) || null,
      name: name.at(place),
      within: within.at(place) || null,
      point:
        north === noPoint
          ? null
          : { latitudeDegrees: north / 1e6, longitudeDegrees: defined(longitude[place]) / 1e6 },
      postcode: unpackPostcode(defined(postcode[place])),
    };
  }

  /** Postcodes of an outward code whose second half begins so. */
  #ofOutcode(outcode: string, incode: string, limit: number): readonly PostcodeRow[] {
    const range = rangeOf(outcode, incode);
    return range === undefined ? [] : this.#postcodes.inUseIn(range, limit);
  }

  /** `PO30` begins PO3 0AA as well as PO30 1AA. */
  #beginningWith(start: string, limit: number): readonly PostcodeRow[] {
    const found: PostcodeRow[] = [];
    for (const length of [2, 3, 4]) {
      if (found.length < limit && length < start.length) {
        found.push(...this.#ofOutcode(start.slice(0, length), start.slice(length), limit - found.length));
      }
    }
    const outcodes = this.#postcodes.outcodes();
    const first = firstIndex(0, outcodes.length, (at) => defined(outcodes[at]) >= start);
    for (let at = first; found.length < limit; at += 1) {
      const outcode = outcodes[at];
      if (outcode === undefined || !outcode.startsWith(start)) break;
      found.push(...this.#ofOutcode(outcode, '', limit - found.length));
    }
    return found;
  }
}

const compact = (text: string) => text.replace(/\s+/g, '');

/** Of the postcodes of an outward code whose second half begins with a text; undefined where none could be. */
function rangeOf(outcode: string, incode: string): PackedRange | undefined {
  const [lowest, highest] = ['0AA', '9ZZ'].map((end) => incode + end.slice(incode.length));
  const from = packPostcodeText(`${outcode} ${lowest}`);
  if (incode.length > 3 || from === undefined) return undefined;
  // GIR has one postcode, and no 9ZZ.
  return { from, to: 1 + (packPostcodeText(`${outcode} ${highest}`) ?? from) };
}

/** Where another version of the rule made the part, it is worked out in memory, once a thread. Throws ReleaseDamaged when the
 *  release has no postcodes. */
export const openCompletions: (release: Release) => Completions = oncePerRelease((release) => {
  const columns = release.hasDerived(completionsPart)
    ? completionsTable.open(release)
    : completionsTable.read(Part.open(encodePart(deriveCompletions(release)).buffer));
  return new Completions(openPostcodes(release), columns);
});
