// Brings a page into one of its states.

import type { Browser } from 'playwright-core';
import { answerPortal } from './answers.ts';
import type { State } from './state.ts';
import { type Look, type Visit, visit } from './visit.ts';

export async function show(browser: Browser, origin: string, state: State, look: Look): Promise<Visit> {
  const visited = await visit(browser, origin, look);
  const { page, faults } = visited;
  await answerPortal(page, state.answers, faults);
  await state.prepare?.(page);
  await page.goto(state.path);
  await state.act?.(page);
  await page.getByText(state.shows).first().waitFor();
  return visited;
}
