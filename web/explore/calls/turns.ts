// When answers are drawn: those that come within a moment together, since a picture of the page for each of them takes longer than
// one of all.

/** How long an answer waits for others that are on their way. */
const momentMs = 80;

let awaited = 0;
let moment: number | undefined;
/** `last`: once all answers are there. */
const waiting: Readonly<Record<'next' | 'last', (() => void)[]>> = { next: [], last: [] };

export const isAnyAwaited = (): boolean => awaited > 0;

export async function whileAwaited<T>(asking: Promise<T>): Promise<T> {
  awaited += 1;
  try {
    return await asking;
  } finally {
    awaited -= 1;
    // Not before whoever asked for it has it.
    if (awaited === 0) drawIn(0);
  }
}

export function drawInTurn(turn: keyof typeof waiting, draw: () => void): void {
  waiting[turn].push(draw);
  if (awaited === 0) drawAll();
  else if (moment === undefined) drawIn(momentMs);
}

/** With the next answers, whenever these come. */
export const drawWithAnswers = (draw: () => void): void => void waiting.next.push(draw);

function drawIn(milliseconds: number): void {
  clearTimeout(moment);
  moment = window.setTimeout(drawAll, milliseconds);
}

function drawAll(): void {
  clearTimeout(moment);
  moment = undefined;
  for (const draw of waiting.next.splice(0)) draw();
  if (awaited === 0) for (const draw of waiting.last.splice(0)) draw();
}
