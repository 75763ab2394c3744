// The bundled tables are plain rows. A JSON file beside each says which edition it is.

import type { InputFile } from '../ingest/files.ts';
import { FileRefused } from '../ingest/refusal.ts';
import type { RecognisedFile } from '../ingest/source.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import type { ReachPoints } from '../tables/reach.ts';
import { parseDay } from '../uk/calendar.ts';
import { parseDegrees } from './gb-point.ts';

/** Undefined where the file is no note on `subject`. */
export function parseNote(file: InputFile, subject: string): JsonObject | undefined {
  if (file.form !== 'text') return undefined;
  const text = file.head.toString('utf8');
  if (!text.trimStart().startsWith('{')) return undefined;
  const value = parseJson(text);
  return isObject(value) && value.describes === subject ? value : undefined;
}

/** Whether a table of this project has exactly these columns. Every sample asks this of every file of a start. */
export const hasHeader = (file: InputFile, header: string): boolean =>
  file.form === 'text' &&
  file.head.toString('latin1', 0, header.length) === header &&
  file.head[header.length] === newline;
const newline = 10;

export const noteLayout = 'note on the sample';

/** The day up to which the rows were checked. Throws FileRefused. */
export function readAsOf(file: InputFile, subject: string): number {
  const { asOf } = parseNote(file, subject) ?? {};
  const day = typeof asOf === 'string' ? parseDay(asOf) : undefined;
  if (day === undefined) throw new FileRefused(file.name, 'has no "asOf" with a date like 2026-04-01');
  return day;
}

export type Note = {
  /** Of its file. */
  readonly name: string;
  readonly edition: string;
  /** YYYY-MM-DD */
  readonly asOf: string;
  /** Where the rows are everything there is; undefined where they are so everywhere, or nowhere. */
  readonly reach: ReachPoints | undefined;
  readonly fields: JsonObject;
};

/** Throws FileRefused where no file is the note, or the note lacks something. */
export function findNote(files: readonly RecognisedFile[], subject: string): Note {
  for (const { file } of files) {
    const fields = parseNote(file, subject);
    if (fields === undefined) continue;
    const { edition, asOf, reach } = fields;
    if (typeof edition !== 'string' || typeof asOf !== 'string' || parseDay(asOf) === undefined)
      throw new FileRefused(file.name, 'lacks "edition", or "asOf" with a date like 2026-04-01');
    return {
      name: file.name,
      edition,
      asOf,
      reach: parseReach(reach),
      fields,
    };
  }
  const names = files.map(({ file }) => file.name).join(', ');
  throw new FileRefused(
    names,
    `comes without its note; expected JSON with "describes": "${subject}" beside it`,
  );
}

function parseReach(value: unknown): ReachPoints | undefined {
  if (!isObject(value) || typeof value.metres !== 'number' || !Array.isArray(value.points)) return undefined;
  const given: readonly unknown[] = value.points;
  const points = given.flatMap((point) => {
    const [latitude, longitude]: readonly unknown[] = Array.isArray(point) ? point : [];
    return parseDegrees(String(latitude), String(longitude)) ?? [];
  });
  return points.length > 0 && points.length === given.length ? { points, metres: value.metres } : undefined;
}
