// How far long work has come; the command draws it, everything else only reports.

type Step = {
  /** What is being done, for people: "Reading stops.csv". */
  readonly phase: string;
  readonly done: number;
  /** Undefined where the end is not known beforehand. */
  readonly total: number | undefined;
};

export type Progress = (step: Step) => void;

export const noProgress: Progress = () => {};

/** Passes chunks on and reports how many bytes have gone by. */
export async function* reporting(
  chunks: AsyncIterable<Uint8Array>,
  phase: string,
  totalBytes: number | undefined,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  progress({ phase, done, total: totalBytes });
  for await (const chunk of chunks) {
    yield chunk;
    done += chunk.byteLength;
    progress({ phase, done, total: totalBytes });
  }
}
