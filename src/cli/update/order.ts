// What an update is asked to do, what it shows meanwhile, and what it ends with.

import type { PlanOrder } from '../../ingest/plan.ts';
import type { Listed } from '../../ingest/publication.ts';
import type { IngestReport } from '../../ingest/run.ts';
import type { Source } from '../../ingest/source.ts';
import type { DiskPace } from '../../release/disk-pace.ts';
import type { Arrived } from '../../update/arrive.ts';
import type { PlanLine } from '../../update/plan.ts';
import type { UpdateSet } from '../../update/select.ts';
import type { RefusedFiles, UpdateRun } from '../../update/state.ts';
import type { WaitingTerms } from '../../update/terms.ts';
import type { WebOptions } from '../../update/web/web.ts';

/** What an update rests on. Tests bring loaders that count small files as whole, and a clock that never sleeps. */
export type UpdateMeans = {
  readonly sources: readonly Source[];
  /** At which the disk is used while loading; as fast as it goes where it is absent. */
  readonly disk?: DiskPace;
  readonly web: Partial<Pick<WebOptions, 'clock' | 'stallMs' | 'documentMs' | 'bytesPerSecond'>>;
};

export type UpdateOrder = {
  readonly means: UpdateMeans;
  readonly home: string;
  /** Of datasets or publications; without any, the set. */
  readonly names: readonly string[];
  readonly set: UpdateSet;
  readonly from: string | undefined;
  readonly addresses: ReadonlyMap<string, string>;
  /** Days by name of the publication, instead of its own rhythm. */
  readonly rhythm: ReadonlyMap<string, number>;
  /** Names of terms, or "all". */
  readonly accepted: ReadonlySet<string>;
  /** How a publisher reaches who asks, if that was told. */
  readonly contact: string | undefined;
  /** `told`: a person reads what this run prints, so that terms are told in full once. */
  readonly terms: 'told' | 'not told';
  readonly rawFiles: 'keep' | 'remove';
  readonly until: 'plan' | 'release';
  readonly now: () => number;
  readonly signal: AbortSignal;
};

/** What the command shows meanwhile. */
export type UpdateView<Report extends IngestReport> = {
  /** Throws CommandRefused where there is not the room for it. */
  readonly plan: (lines: readonly PlanLine[]) => void;
  readonly progress: (publication: Listed, file: string, bytes: number, total: number | undefined) => void;
  readonly arrived: () => void;
  /** Throws CommandRefused where nothing at all could be loaded. */
  readonly load: (paths: readonly string[], about: LoadAbout) => Promise<Report>;
};

/** What is known of the files beside what they hold. */
type LoadAbout = Required<Pick<PlanOrder, 'fetchedDays' | 'leaveOut' | 'apart'>>;

/** What is remembered of files of a publication that were refused. */
export type RefusedNow = (
  publication: Listed,
  files: readonly Arrived[],
  cause: RefusedFiles['cause'],
) => RefusedFiles;

export type UpdateResult<Report extends IngestReport> = {
  readonly plan: readonly PlanLine[];
  readonly terms: readonly WaitingTerms[];
  readonly run: UpdateRun | undefined;
  /** Undefined where nothing came, or nothing of it could be loaded. */
  readonly report: Report | undefined;
};
