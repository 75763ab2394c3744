// Why an ingest stops: the operator's file is not what it should be. The operator reads the message.

import { visible } from '../visible.ts';

export class IngestRefused extends Error {
  override name = 'IngestRefused';
}

/** One file is at fault: which, where in it (a line, a sheet and row), and what was expected. */
export class FileRefused extends IngestRefused {
  override name = 'FileRefused';
  constructor(file: string, problem: string) {
    super(`${visible(file)}: ${visible(problem)}`);
  }
}

/** The files are sound, and would take something away from what is loaded. */
export class LossRefused extends IngestRefused {
  override name = 'LossRefused';
  /** Without the advice, which is one for `domesday ingest`. */
  readonly told: string;
  constructor(told: string) {
    super(`${told}\nTo load it anyway, add --replace.`);
    this.told = told;
  }
}

/** What becomes of refused files: it throws where the run is to stop, and returns where the others are gone on with. */
export type OnRefused = (files: readonly string[], refusal: IngestRefused) => void;

export const stopAt: OnRefused = (_files, refusal) => {
  throw refusal;
};
