// What was refused, in a run that goes on without it; a run that does not go on stops at the first.

import type { DatasetName } from '../datasets.ts';
import type { Group } from './recognise.ts';
import { IngestRefused, LossRefused, type OnRefused } from './refusal.ts';

export type OnRefusal = 'stop' | 'leave out';

export type Refusal = {
  /** Undefined where the files could not be told to be of any source. */
  readonly source: string | undefined;
  readonly dataset: DatasetName | undefined;
  readonly files: readonly string[];
  readonly reason: string;
  /** The reason without the advice to add --replace, where that would load the files. */
  readonly loss?: string;
};

export class Refusals {
  readonly all: Refusal[] = [];
  readonly #onRefusal: OnRefusal;

  constructor(onRefusal: OnRefusal) {
    this.#onRefusal = onRefusal;
  }

  readonly ofFiles: OnRefused = (files, refusal) =>
    this.#add({ source: undefined, dataset: undefined, files, reason: refusal.message }, refusal);

  ofGroup({ source, files }: Group, refusal: IngestRefused): void {
    const names = files.map(({ file }) => file.name);
    const loss = refusal instanceof LossRefused ? { loss: refusal.told } : {};
    this.#add(
      { source: source.name, dataset: source.dataset, files: names, reason: refusal.message, ...loss },
      refusal,
    );
  }

  /** For a run that has nothing left. */
  together(): IngestRefused {
    return new IngestRefused(this.all.map(({ reason }) => reason).join('\n'));
  }

  #add(entry: Refusal, refusal: IngestRefused): void {
    if (this.#onRefusal === 'stop') throw refusal;
    this.all.push(entry);
  }
}
