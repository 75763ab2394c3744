// Axes with few and round labels: the same on the screen and in the files that a chart is saved as.

export type Tick = { readonly at: number; readonly text: string };

/** Round numbers at even steps, the first at or below `least` and the last at or above `most`; about `count` steps. */
export function roundNumbers(least: number, most: number, count: number): readonly number[] {
  const span = most > least ? most - least : 1;
  const step = roundStep(span / Math.max(1, count));
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil((least + span) / step));
  return Array.from({ length: last - first + 1 }, (_, at) => stepped(first + at, step));
}

/** Round numbers between two others, at most `most` of them, as close to each other as that allows. */
export function roundWithin(from: number, to: number, most: number): readonly number[] {
  for (let count = Math.max(1, Math.floor(most)) * 2; count >= 1; count -= 1) {
    const within = roundNumbers(from, to, count).filter((at) => at >= from && at <= to);
    if (within.length <= most) return within;
  }
  return [];
}

/** 1, 2 or 5 times a power of ten, not below what was asked for. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  // What is only a rounding error above a step takes that step.
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** 3 × 0.1 is 0.3. */
const stepped = (times: number, step: number): number => Number((times * step).toPrecision(12));

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200] as const;

/** First days of months or years between two moments, at most `most` of them. A January says its year. */
export function timeTicks(fromMs: number, toMs: number, most: number): readonly Tick[] {
  const first = monthNumber(fromMs);
  const last = monthNumber(toMs);
  const step =
    monthSteps.find((each) => Math.floor(last / each) - Math.ceil(first / each) < Math.max(1, most)) ?? 1200;
  const ticks: Tick[] = [];
  for (let month = Math.ceil(first / step) * step; month <= last; month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12);
    if (at < fromMs || at > toMs) continue;
    ticks.push({ at, text: month % 12 === 0 ? String(month / 12) : (months[month % 12] ?? '') });
  }
  return ticks;
}

const monthNumber = (ms: number): number => {
  const day = new Date(ms);
  return day.getUTCFullYear() * 12 + day.getUTCMonth();
};

/** About as many of so many points as there is room for, evenly. */
export function spreadOver(count: number, room: number): readonly number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => at * step);
}
