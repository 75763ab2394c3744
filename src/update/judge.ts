// Looks at what arrived before anything of it is read for long: is it a file of that publication at all? Whether it may take
// the place of what is loaded, its loader decides.

import { findFiles } from '../ingest/files.ts';
import type { Listed } from '../ingest/publication.ts';
import { recogniseFiles } from '../ingest/recognise.ts';
import { IngestRefused } from '../ingest/refusal.ts';
import type { OpenSource } from '../ingest/source.ts';
import type { Arrived } from './arrive.ts';

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
