// The bundled tables are plain rows. A JSON file beside each says which edition it is.

import type { InputFile } from '../ingest/files.ts';
import { FileRefused } from '../ingest/refusal.ts';
import type { RecognisedFile } from '../ingest/source.ts';
import { parseDay } from '../uk/calendar.ts';

type Note = Readonly<Record<string, unknown>>;

/** Undefined where the file is no note on `subject`. */
export function parseNote(file: InputFile, subject: string): Note | undefined {
  if (file.form !== 'text') return undefined;
  const text = file.head.toString('utf8');
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isNote(value) && value.describes === subject ? value : undefined;
  } catch {
    return undefined;
  }
}

const isNote = (value: unknown): value is Note => typeof value === 'object' && value !== null;

/** The day up to which the rows were checked. Throws FileRefused. */
export function readAsOf(file: InputFile, subject: string): number {
  const { asOf } = parseNote(file, subject) ?? {};
  const day = typeof asOf === 'string' ? parseDay(asOf) : undefined;
  if (day === undefined) throw new FileRefused(file.name, 'has no "asOf" with a date like 2026-04-01');
  return day;
}

/** Throws FileRefused where no file is the note, or the note lacks something. */
export function findNote(
  files: readonly RecognisedFile[],
  subject: string,
): { readonly edition: string /** YYYY-MM-DD */; readonly asOf: string } {
  for (const { file } of files) {
    const note = parseNote(file, subject);
    if (note === undefined) continue;
    const { edition, asOf } = note;
    if (typeof edition === 'string' && typeof asOf === 'string' && parseDay(asOf) !== undefined)
      return { edition, asOf };
    throw new FileRefused(file.name, 'lacks "edition", or "asOf" with a date like 2026-04-01');
  }
  const names = files.map(({ file }) => file.name).join(', ');
  throw new FileRefused(
    names,
    `comes without its note; expected JSON with "describes": "${subject}" beside it`,
  );
}
