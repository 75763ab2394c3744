// Brings a page into one of its states, whatever was shown there before: a new page for each would be most of the time that the
// looking takes.

import { answerPortal } from './answers.ts';
import type { State } from './state.ts';
import { type Look, setLook, type Visit } from './visit.ts';

/** `look`: of another screen than the last; changed while nothing is on it, it costs nothing. */
export async function show(visited: Visit, state: State, look?: Look): Promise<void> {
  const { page, faults, forget } = visited;
  await forget();
  if (look !== undefined) await setLook(visited, look);
  await answerPortal(page, state.answers, faults);
  await state.prepare?.(page);
  await page.goto(state.path);
  await state.act?.(page);
  await page.getByText(state.shows).first().waitFor();
  if (state.loads === undefined) await page.locator('.loading').first().waitFor({ state: 'detached' });
}
