// What a service tells of the updates of its data: when each publisher was last asked, what fails and since when, and when
// the next run is.

type PublicationUpdate = {
  readonly dataset: string;
  readonly publication: string;
  /** ISO 8601 instants; null where it never was. */
  readonly lastChecked: string | null;
  readonly lastChanged: string | null;
  readonly failingSince: string | null;
  readonly failingBecause: string | null;
};

export type Updates = {
  readonly publications: readonly PublicationUpdate[];
  readonly lastRun: {
    readonly startedAt: string;
    readonly endedAt: string;
    readonly outcome: string;
    readonly release: string | null;
  } | null;
  /** Null where the service does not update by itself. */
  readonly nextRun: string | null;
};
