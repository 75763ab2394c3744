// The log for people at a terminal: one line a request, errors with their stack below them. Whatever others wrote is shown
// and never obeyed: control characters are escapes, and only lines of ours begin at the left edge.

import { visible, visibleLines } from '../../visible.ts';
import { type Level, type LogLines, stageTimes, thousandths } from './log-lines.ts';

const codes = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Colour = keyof typeof codes;
type Paint = (colour: Colour, text: string) => string;

const plain: Paint = (_, text) => text;
const coloured: Paint = (colour, text) => `\u001b[${codes[colour]}m${text}\u001b[0m`;

const levelColours = {
  debug: 'dim',
  info: 'cyan',
  warn: 'yellow',
  error: 'red',
} as const satisfies Record<Level, Colour>;

export const prettyLines = (colours: 'on' | 'off'): LogLines => {
  const paint = colours === 'on' ? coloured : plain;
  return {
    request: (
      { requestId, method, pathJson, status, seconds, caller, creditsCharged, calls, laps, traceId },
      atMs,
      speed,
    ) => {
      const who = caller === undefined ? [] : [caller.accountId, caller.keyId];
      const trace = traceId === undefined ? [] : [`trace ${traceId}`];
      const parts = [
        paint('dim', timeOfDay(atMs)),
        `${visible(method)} ${visible(pathJson.slice(1, -1))}`,
        paint(statusColour(status), String(status)),
        `${thousandths(seconds * 1000)} ms`,
        ...(calls === undefined ? [] : [`${calls} ${calls === 1 ? 'call' : 'calls'}`]),
        ...(creditsCharged === 0 ? [] : [`${creditsCharged} ${creditsCharged === 1 ? 'credit' : 'credits'}`]),
        ...(laps === undefined || speed === 'usual' ? [] : [paint('yellow', `slow: ${stagesText(laps)}`)]),
        paint('dim', [...who, visible(requestId), ...trace].join(' ')),
      ];
      return `${parts.join(' ')}\n`;
    },
    notice: (level, { message, requestId, fault, stack, cause, timesSinceToldLast }, atMs) => {
      const head = [
        paint('dim', timeOfDay(atMs)),
        paint(levelColours[level], level),
        `${visible(message)}${fault === undefined ? '' : `: ${visible(fault)}`}`,
        ...(timesSinceToldLast === undefined ? [] : [`(${timesSinceToldLast} times since it was last told)`]),
        ...(requestId === undefined ? [] : [paint('dim', visible(requestId))]),
      ];
      const below = [
        ...(stack === undefined ? [] : [stack]),
        ...(cause === undefined ? [] : [`because of ${cause}`]),
      ];
      return `${[head.join(' '), ...below.map((text) => paint('dim', indented(text)))].join('\n')}\n`;
    },
  };
};

function statusColour(status: number): Colour {
  if (status >= 500) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 300 ? 'cyan' : 'green';
}

const stagesText = (laps: Parameters<typeof stageTimes>[0]): string =>
  stageTimes(laps)
    .map(([stage, ms]) => `${stage} ${ms}`)
    .join(', ');

const indented = (text: string): string => visibleLines(text).replaceAll(/^/gm, '    ');

/** By the clock on the wall of whoever reads. */
function timeOfDay(atMs: number): string {
  const at = new Date(atMs);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
