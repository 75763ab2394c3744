// What the loaders of bundled samples have in common: one CSV in a layout of this project with a note in JSON beside it,
// which official files replace as a whole.

import type { DatasetName } from '../datasets.ts';
import type { InputFile } from '../ingest/files.ts';
import { type NamedCells, readNamedCells } from '../ingest/read/named-rows.ts';
import { FileRefused, IngestRefused } from '../ingest/refusal.ts';
import type { DatasetFacts, Into, Loader } from '../ingest/source.ts';
import type { ReachPoints } from '../tables/reach.ts';
import { findNote, hasHeader, type Note, noteLayout, parseNote } from './bundled-note.ts';
import { type MicroPoint, parseDegrees } from './gb-point.ts';

type Sample<Column extends string, Row> = {
  /** `describes` of the note. */
  readonly subject: string;
  readonly facts: DatasetFacts;
  /** In the order of the file. */
  readonly columns: readonly [Column, ...Column[]];
  readonly readRow: (cells: NamedCells<Column>) => Row;
  readonly write: (rows: readonly Row[], note: Note, into: Into) => void;
};

export function sampleLoader<Column extends string, Row>(sample: Sample<Column, Row>): Loader {
  const { subject, facts, columns, readRow, write } = sample;
  const header = columns.join();
  return {
    facts,
    layouts: [
      `CSV with the columns ${header} (this project)`,
      `JSON with "describes": "${subject}" (this project)`,
    ],
    recognise: (file: InputFile) => {
      if (parseNote(file, subject) !== undefined) return noteLayout;
      return hasHeader(file, header) ? 'sample' : undefined;
    },
    headerAlone: () => 'refused',
    load: async (files, into) => {
      refuseOverLoaded(into);
      const note = findNote(files, subject);
      const rows: Row[] = [];
      for (const { file, layout } of files) {
        if (layout !== 'sample' || file.form !== 'text') continue;
        const wanted = { required: columns };
        await readNamedCells(file, { width: 'exact' }, wanted, into, (cells) => rows.push(readRow(cells)));
      }
      into.tally.kept = rows.length;
      write(rows, note, into);
      const { edition, asOf } = note;
      return {
        edition,
        asOf,
        rows: rows.length,
        extent: 'sample',
        nextEditionExpected: null,
      };
    },
  };
}

/** Throws IngestRefused where official data is loaded. */
export function refuseOverLoaded({ base, source }: Into): void {
  const before = base?.findDataset(source.dataset);
  if (before === undefined || before.extent === 'sample') return;
  throw new IngestRefused(`Nothing was loaded: ${before.source} is loaded, and the bundled sample has less.`);
}

/** The release that an official load builds on. Undefined where it lacks the dataset, or has the bundled sample of it. */
export function loadedBefore(base: Into['base'], dataset: DatasetName): Into['base'] {
  const before = base?.findDataset(dataset);
  return before === undefined || before.extent === 'sample' ? undefined : base;
}

export function readPoint({ cell, refuse }: NamedCells<'latitude' | 'longitude'>): MicroPoint {
  const point = parseDegrees(cell('latitude'), cell('longitude'));
  if (point === undefined) throw refuse('latitude', 'a latitude in Great Britain');
  return point;
}

/** Where the sample has everything. Throws FileRefused where the note does not say it. */
export function reachOf({ name, reach }: Note): ReachPoints {
  if (reach !== undefined) return reach;
  throw new FileRefused(name, 'has no "reach" with "metres" and "points" like [[51.56, -3.02]]');
}
