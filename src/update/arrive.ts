// Fetches what is new into <home>/updates/files/<publication>. What a run that was killed has fetched whole is taken again
// as it is, where its publisher says that it has not changed.

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { findFiles } from '../ingest/files.ts';
import type { Listed, Offer } from '../ingest/publication.ts';
import { recogniseFiles } from '../ingest/recognise.ts';
import { IngestRefused } from '../ingest/refusal.ts';
import type { OpenSource } from '../ingest/source.ts';
import { parseJson } from '../json.ts';
import { replaceDurable } from '../release/durable.ts';
import { type LoadedFile, parseFile, type UpdateState, updatesFolder, writeUpdateState } from './state.ts';
import type { Web } from './web/web.ts';

export type Arrived = LoadedFile & { readonly path: string };

export type ArrivedFiles = ReadonlyMap<Listed, readonly Arrived[]>;

type Means = {
  readonly home: string;
  readonly web: Web;
  readonly hosts: readonly string[];
  /** What becomes of files of earlier runs that are not offered any more. */
  readonly others: 'keep' | 'remove';
  readonly onProgress: (offer: Offer, bytes: number, total: number | undefined) => void;
  readonly signal: AbortSignal;
};

export const filesFolder = (home: string, publication: string): string =>
  path.join(updatesFolder(home), 'files', publication);

/** Throws TransferFailed. */
export async function fetchOffers(
  publication: Listed,
  offers: readonly Offer[],
  means: Means,
): Promise<readonly Arrived[]> {
  const { home, web, hosts, others, onProgress, signal } = means;
  const folder = filesFolder(home, publication.name);
  const arrived: Arrived[] = [];
  const names = distinctNames(offers);
  if (others === 'remove') removeOthers(folder, names);
  for (const [index, offer] of offers.entries()) {
    const fileName = names[index] ?? offer.fileName;
    const place = path.join(folder, fileName);
    const here = readNote(place, offer.address);
    const outcome = await web.download({
      address: offer.address,
      hosts,
      folder,
      fileName,
      mostBytes: publication.mostBytes,
      ...(offer.bytes === undefined ? {} : { bytes: offer.bytes }),
      ...(offer.md5 === undefined ? {} : { md5: offer.md5 }),
      ...(here === undefined ? {} : { known: validatorsOf(here) }),
      onProgress: (bytes, total) => onProgress(offer, bytes, total),
      signal,
    });
    if (outcome.kind === 'unchanged' && here !== undefined) {
      arrived.push({ ...here, edition: offer.edition, path: place });
    } else if (outcome.kind === 'fetched') {
      const { bytes, sha256, validators } = outcome;
      const file = { address: offer.address, bytes, sha256, ...validators, edition: offer.edition };
      replaceDurable(noteOf(place), JSON.stringify(file));
      arrived.push({ ...file, path: place });
    }
  }
  return arrived;
}

/** Beside a file lie what came of it so far, and what is known of it. */
function removeOthers(folder: string, names: readonly string[]): void {
  if (!existsSync(folder)) return;
  for (const found of readdirSync(folder)) {
    if (!names.some((name) => found === name || found.startsWith(`${name}.`)))
      rmSync(path.join(folder, found), { recursive: true, force: true });
  }
}

/** Writes the state of a home with what is left to remove, removes it, and says so; a kill in between leaves that to the next
 *  run, and never takes a file that a later one has begun to fetch. */
export function removeFetched(home: string, state: UpdateState): UpdateState {
  writeUpdateState(home, state);
  if (state.removing.length === 0) return state;
  for (const name of state.removing) rmSync(filesFolder(home, name), { recursive: true, force: true });
  const removed = { ...state, removing: [] };
  writeUpdateState(home, removed);
  return removed;
}

const noteOf = (place: string) => `${place}.fetched.json`;

/** What is known of a file that was fetched whole from this address. */
function readNote(place: string, address: string): LoadedFile | undefined {
  if (!existsSync(noteOf(place)) || !existsSync(place)) return undefined;
  const note = parseFile(parseJson(readFileSync(noteOf(place), 'utf8')));
  const isSame = note?.address === address && note.bytes === statSync(place).size;
  const canAsk = note?.etag !== undefined || note?.lastModified !== undefined;
  return isSame && canAsk ? note : undefined;
}

const validatorsOf = ({ etag, lastModified }: LoadedFile) => ({
  ...(etag === undefined ? {} : { etag }),
  ...(lastModified === undefined ? {} : { lastModified }),
});

/** Files of one publication may all be called alike, such as "table.csv". */
function distinctNames(offers: readonly Offer[]): readonly string[] {
  const names = offers.map(({ fileName }) => fileName);
  return names.map((name, index) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${index + 1}-${name}`,
  );
}

// Looks at what arrived before anything of it is read for long: is it a file of that publication at all? Whether it may take
// the place of what is loaded, its loader decides.

export async function judgeFiles(
  publication: Listed,
  files: readonly Arrived[],
  sources: readonly OpenSource[],
): Promise<IngestRefused | undefined> {
  try {
    const others = await findOthers(publication, files, sources);
    if (others === undefined) return undefined;
    const kind = others.length === 0 ? 'of no known kind' : `of another kind: ${others.join(', ')}`;
    return new IngestRefused(`what came is ${kind}.`);
  } catch (error) {
    if (error instanceof IngestRefused) return error;
    throw error;
  }
}

/** What else it is; undefined where it is of the publication. Throws IngestRefused. */
async function findOthers(
  { dataset }: Listed,
  files: readonly Arrived[],
  sources: readonly OpenSource[],
): Promise<readonly string[] | undefined> {
  const found = await findFiles(files.map(({ path }) => path));
  try {
    const { groups } = recogniseFiles(found, sources);
    if (groups.some(({ source }) => source.dataset === dataset)) return undefined;
    return [...new Set(groups.map(({ source }) => source.title))];
  } finally {
    found.close();
  }
}
