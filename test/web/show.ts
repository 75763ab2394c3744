// Brings a page into one of its states, whatever was shown there before: a new page for each would be most of the time that the
// looking takes.

import { answerPortal } from './answers.ts';
import type { State } from './state.ts';
import type { Visit } from './visit.ts';

export async function show({ page, faults, forget }: Visit, state: State): Promise<void> {
  await forget();
  await answerPortal(page, state.answers, faults);
  await state.prepare?.(page);
  await page.goto(state.path);
  await state.act?.(page);
  await page.getByText(state.shows).first().waitFor();
  if (state.loads === undefined) await page.locator('.loading').first().waitFor({ state: 'detached' });
}
