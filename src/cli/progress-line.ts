// Draws progress: one line that is redrawn on a terminal, a plain line per phase elsewhere (logs, pipes).

import type { Progress } from '../ingest/progress.ts';
import { visible } from '../visible.ts';
import type { Io } from './command.ts';

type ProgressLine = {
  readonly progress: Progress;
  /** Clears the line, so that what follows starts on a clean one. */
  end(): void;
};

/** A terminal shows no more than about this many redraws a second as movement. */
const redrawMs = 100;
export const eraseLine = '\r\u001b[2K';
export const lineUp = '\u001b[1A';
/** What we write ourselves before a line that is drawn again. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about.
export const redrawing = /^(?:\u001b\[1A)*(?:\r\u001b\[2K)?/;

export function openProgressLine(io: Io): ProgressLine {
  let phase = '';
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return {
    progress: (step) => {
      const named = visible(step.phase);
      const isNew = named !== phase;
      phase = named;
      if (!io.isTerminal) {
        if (isNew) io.err(`${phase}\n`);
        return;
      }
      const nowMs = io.now();
      if (!isNew && nowMs - drawnAtMs < redrawMs) return;
      drawnAtMs = nowMs;
      const share = step.total ? ` ${Math.floor((100 * step.done) / step.total)} %` : '';
      io.err(`${eraseLine}${phase}${share}`);
    },
    end: () => {
      if (io.isTerminal && phase !== '') io.err(eraseLine);
    },
  };
}
