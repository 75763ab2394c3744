// Looks at what arrived before anything of it is read for long: is it a file of that publication at all? Whether it may take
// the place of what is loaded, its loader decides.

import { findFiles } from '../ingest/files.ts';
import type { Listed } from '../ingest/publication.ts';
import { recogniseFiles } from '../ingest/recognise.ts';
import { IngestRefused } from '../ingest/refusal.ts';
import type { OpenSource } from '../ingest/source.ts';

/** Throws IngestRefused. */
export async function judgeFiles(
  publication: Listed,
  paths: readonly string[],
  sources: readonly OpenSource[],
): Promise<void> {
  const found = await findFiles(paths);
  try {
    const { groups } = recogniseFiles(found, sources);
    if (groups.some(({ source }) => source.dataset === publication.dataset)) return;
    const others = [...new Set(groups.map(({ source }) => source.title))].join(', ');
    throw new IngestRefused(
      `what came is ${others === '' ? 'of no known kind' : `of another kind: ${others}`}.`,
    );
  } finally {
    found.close();
  }
}
