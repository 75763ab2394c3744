// Asks a publisher whether it has something newer than what is loaded: one small request where nothing changed.

import type { Listed, Offer } from '../ingest/publication.ts';
import type { Dataset } from '../release/manifest.ts';
import { dayMs } from '../time.ts';
import type { LoadedFile, PublicationState, RefusedFiles } from './state.ts';
import { isAccepted } from './terms.ts';
import type { Peek } from './web/web.ts';

export type Publisher = {
  /** Rejects with NotFound or TransferFailed. */
  readonly find: (publication: Listed) => Promise<readonly Offer[]>;
  /** With what is known of the file, where it is the one that is loaded. Rejects with TransferFailed. */
  readonly peek: (publication: Listed, address: string, known: LoadedFile | undefined) => Promise<Peek>;
};

export type Look =
  | { readonly kind: 'not asked'; readonly why: string }
  | { readonly kind: 'unchanged' }
  /** What its publisher has was refused before, and has not changed since. */
  | { readonly kind: 'refused'; readonly why: string; readonly cause: RefusedFiles['cause'] }
  | {
      readonly kind: 'new';
      /** What is to be fetched. */
      readonly offers: readonly Offer[];
      /** What the publisher offers in all, loaded or not. */
      readonly all: readonly Offer[];
      readonly edition: string | undefined;
      readonly bytes: number | undefined;
      /** Of the first that is new, where it is known. */
      readonly lastModified: string | undefined;
      readonly why: string;
    };

type Question = {
  readonly publication: Listed;
  readonly state: PublicationState | undefined;
  /** Of the current release. */
  readonly dataset: Dataset | undefined;
  /** `always`: whoever named it wants it now, whatever its rhythm. */
  readonly when: 'in its rhythm' | 'always';
  /** Names of terms, or "all". */
  readonly accepted: ReadonlySet<string>;
  readonly version: string;
  readonly nowMs: number;
};

/** A refused file may have been damaged on its way. */
const refusedAgainDays = 7;

export async function lookAt(question: Question, publisher: Publisher): Promise<Look> {
  const { publication } = question;
  const loaded = isToBeCompleted(question) ? undefined : loadedFiles(question);
  const pause = loaded === undefined ? undefined : pauseOf(question);
  if (pause !== undefined) return { kind: 'not asked', why: pause };
  const offers = await publisher.find(publication);
  const refused = refusedBefore(question);
  const known = await stillRefused(offers, refused, publication, publisher);
  const seen: Seen[] = [];
  for (const offer of offers.filter((each) => !known.has(each)))
    seen.push(await seeOffer(offer, loaded, publication, publisher));
  const isNew = seen.some(({ why }) => why !== undefined);
  if (refused !== undefined && known.size > 0 && !isNew)
    return { kind: 'refused', why: refused.why, cause: refused.cause };
  // Beside what is new they are tried again.
  for (const offer of known) seen.push(await seeOffer(offer, loaded, publication, publisher));
  const fresh = seen.filter(({ why }) => why !== undefined);
  const [first] = fresh;
  if (first === undefined) return { kind: 'unchanged' };
  const wanted = publication.readWith === 'nothing else' ? fresh : seen;
  return {
    kind: 'new',
    offers: wanted.map(({ offer }) => offer),
    all: offers,
    edition: first.edition,
    bytes: sumOf(wanted.map(({ bytes }) => bytes)),
    lastModified: first.lastModified,
    why: isToBeCompleted(question) ? 'its terms are accepted now' : (first.why ?? ''),
  };
}

/** The files of it that the current release has; undefined where that is not known. A release that was made current again
 *  has older data, and a sample is no publication. */
export function loadedFiles({
  state,
  dataset,
}: Pick<Question, 'state' | 'dataset'>): readonly LoadedFile[] | undefined {
  if (state?.files === undefined || state.loadedAt === undefined || dataset === undefined) return undefined;
  return dataset.extent !== 'sample' && dataset.loadedAt >= state.loadedAt ? state.files : undefined;
}

/** Something was left out of the same files until its terms were accepted, and now they are. */
const isToBeCompleted = ({ publication: { terms }, dataset, accepted }: Question): boolean =>
  dataset?.leftOut !== undefined && terms !== undefined && isAccepted(terms, accepted);

type RefusedBefore = RefusedFiles & { readonly why: string };

/** What need not be tried again: by this program, over the same data, and not long ago. Whoever names it wants it tried. */
function refusedBefore({ state, dataset, when, version, nowMs }: Question): RefusedBefore | undefined {
  const { refused, failing } = state ?? {};
  if (refused === undefined || failing === undefined || when === 'always') return undefined;
  const agoMs = nowMs - Date.parse(refused.at);
  const isRecent = agoMs >= 0 && agoMs < refusedAgainDays * dayMs;
  const isOfNow = refused.version === version && refused.over === (dataset?.loadedAt ?? null);
  return isRecent && isOfNow ? { ...refused, why: failing.why } : undefined;
}

/** Of what its publisher offers. */
async function stillRefused(
  offers: readonly Offer[],
  refused: RefusedBefore | undefined,
  publication: Listed,
  publisher: Publisher,
): Promise<ReadonlySet<Offer>> {
  const still = new Set<Offer>();
  for (const offer of offers) {
    const file = refused?.files.find(
      ({ address, edition }) => address === offer.address && edition === offer.edition,
    );
    if (file === undefined) continue;
    const canAsk = file.etag !== undefined || file.lastModified !== undefined;
    if (!canAsk || (await publisher.peek(publication, file.address, file)).kind === 'unchanged')
      still.add(offer);
  }
  return still;
}

/** Why it is not asked for yet. An instant in the future was written under a wrong clock, and says nothing. */
function pauseOf({ publication, state, when, nowMs }: Question): string | undefined {
  const { askEveryDays } = publication.rhythm;
  const checkedMs = Date.parse(state?.checkedAt ?? '');
  if (when === 'always' || askEveryDays === 0 || Number.isNaN(checkedMs) || checkedMs > nowMs)
    return undefined;
  const nextMs = checkedMs + askEveryDays * dayMs;
  return nowMs < nextMs
    ? `asked on ${day(checkedMs)}, and every ${askEveryDays === 1 ? 'day' : `${askEveryDays} days`}: next from ${day(nextMs)}`
    : undefined;
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

type Seen = {
  readonly offer: Offer;
  /** Why it is new; undefined where it is loaded. */
  readonly why: string | undefined;
  readonly edition: string | undefined;
  readonly bytes: number | undefined;
  readonly lastModified: string | undefined;
};

async function seeOffer(
  offer: Offer,
  loaded: readonly LoadedFile[] | undefined,
  publication: Listed,
  publisher: Publisher,
): Promise<Seen> {
  const { address } = offer;
  const before = loaded?.find((file) => file.address === address);
  const known = { offer, edition: offer.edition, bytes: offer.bytes, lastModified: undefined };
  const isSameEdition = offer.edition === before?.edition;
  if (before !== undefined && isSameEdition) {
    const canAsk = before.etag !== undefined || before.lastModified !== undefined;
    // An address that an index gave is of one edition; a fixed one has whatever is newest.
    if (!canAsk && publication.find.kind !== 'fixed') return { ...known, why: undefined };
    if (!canAsk) {
      const peek = await publisher.peek(publication, address, undefined);
      return seenAs(known, peek, 'its publisher does not say whether it has changed, and it is due');
    }
    return seenAs(known, await publisher.peek(publication, address, before), 'its publisher has changed it');
  }
  const why =
    loaded === undefined
      ? 'not loaded yet'
      : before === undefined
        ? 'a new file'
        : `a new edition, after ${before.edition}`;
  // The index told its size; else one small question does.
  if (offer.bytes !== undefined) return { ...known, why };
  return seenAs(known, await publisher.peek(publication, address, undefined), why);
}

const seenAs = (known: Omit<Seen, 'why'>, peek: Peek, why: string): Seen =>
  peek.kind === 'unchanged'
    ? { ...known, why: undefined }
    : {
        ...known,
        why,
        edition: known.edition ?? dayOfHeader(peek.lastModified),
        bytes: known.bytes ?? peek.bytes,
        lastModified: peek.lastModified,
      };

function dayOfHeader(lastModified: string | undefined): string | undefined {
  const ms = Date.parse(lastModified ?? '');
  return Number.isNaN(ms) ? undefined : day(ms);
}

/** Undefined where one is not known. */
function sumOf(sizes: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const size of sizes) {
    if (size === undefined) return undefined;
    sum += size;
  }
  return sum;
}
