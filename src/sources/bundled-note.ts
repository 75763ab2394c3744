// The bundled tables are plain rows; of which edition they are stands in a JSON file beside each.

import type { InputFile } from '../ingest/files.ts';
import { FileRefused } from '../ingest/refusal.ts';
import type { RecognisedFile } from '../ingest/source.ts';
import { parseDay } from '../uk/calendar.ts';

export type BundledNote = { readonly edition: string /** YYYY-MM-DD */; readonly asOf: string };

/** Undefined where the file is no note on `subject`. */
export function parseNote(file: InputFile, subject: string): BundledNote | undefined {
  if (file.form !== 'text') return undefined;
  const text = file.head.toString('utf8');
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    if (!('describes' in value && 'asOf' in value && 'edition' in value)) return undefined;
    const { describes, asOf, edition } = value;
    if (describes !== subject || typeof edition !== 'string' || typeof asOf !== 'string') return undefined;
    return parseDay(asOf) === undefined ? undefined : { edition, asOf };
  } catch {
    return undefined;
  }
}

/** Throws FileRefused where it is not among the files. */
export function findNote(files: readonly RecognisedFile[], subject: string): BundledNote {
  for (const { file } of files) {
    const note = parseNote(file, subject);
    if (note !== undefined) return note;
  }
  const names = files.map(({ file }) => file.name).join(', ');
  throw new FileRefused(
    names,
    `comes without its note; expected JSON with "describes": "${subject}" beside it`,
  );
}
