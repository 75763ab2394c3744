// The bundled tables are plain rows. A JSON file beside each says which edition it is.

import type { InputFile } from '../ingest/files.ts';
import { FileRefused } from '../ingest/refusal.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { parseDay } from '../uk/calendar.ts';

/** Undefined where the file is no note on `subject`. */
export function parseNote(file: InputFile, subject: string): JsonObject | undefined {
  if (file.form !== 'text') return undefined;
  const text = file.head.toString('utf8');
  if (!text.trimStart().startsWith('{')) return undefined;
  const value = parseJson(text);
  return isObject(value) && value.describes === subject ? value : undefined;
}

/** The day up to which the rows were checked. Throws FileRefused. */
export function readAsOf(file: InputFile, subject: string): number {
  const { asOf } = parseNote(file, subject) ?? {};
  const day = typeof asOf === 'string' ? parseDay(asOf) : undefined;
  if (day === undefined) throw new FileRefused(file.name, 'has no "asOf" with a date like 2026-04-01');
  return day;
}
