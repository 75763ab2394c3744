// Shows files that are being fetched: one line each, redrawn on a terminal; elsewhere a plain line when one begins, at each
// quarter, and when it is there.

import { visible } from '../../visible.ts';
import type { Io } from '../command.ts';
import { eraseLine, lineUp } from '../progress-line.ts';
import { formatBytes } from './amounts.ts';

type TransferLines = {
  readonly progress: (name: string, bytes: number, total: number | undefined) => void;
  end(): void;
};

const redrawMs = 100;

type Line = { bytes: number; total: number | undefined; quarter: number };

export function openTransferLines(io: Io): TransferLines {
  const lines = new Map<string, Line>();
  let drawn = 0;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  const draw = () => {
    const texts = [...lines].map(([name, line]) => describe(name, line));
    for (const [index, text] of texts.entries()) {
      io.err(`${index === 0 ? lineUp.repeat(drawn) : ''}${eraseLine}${text}\n`);
    }
    drawn = texts.length;
    drawnAtMs = io.now();
  };
  return {
    progress: (name, bytes, total) => {
      const known = lines.get(name);
      const line = known ?? { bytes, total, quarter: -1 };
      line.bytes = bytes;
      line.total = total;
      lines.set(name, line);
      if (io.isTerminal) {
        if (known === undefined || bytes === total || io.now() - drawnAtMs >= redrawMs) draw();
        return;
      }
      const quarter = total === undefined || total === 0 ? 0 : Math.floor((4 * bytes) / total);
      if (quarter <= line.quarter) return;
      line.quarter = quarter;
      io.err(`${describe(name, line)}\n`);
    },
    end: () => {
      if (io.isTerminal && lines.size > 0) draw();
    },
  };
}

function describe(name: string, { bytes, total }: Line): string {
  const whole = total === undefined ? '' : ` of ${formatBytes(total)}`;
  const share = total === undefined || total === 0 ? '' : ` (${Math.floor((100 * bytes) / total)} %)`;
  return visible(`Fetching ${name}: ${formatBytes(bytes)}${whole}${share}`);
}
