// The engines that we are measured against, each in a folder of its own. Loading 30 million rows takes minutes, so what
// was loaded completely is used again, and what was not is loaded anew.

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer, Query } from './queries.ts';

export type Engine = {
  readonly name: string;
  readonly ask: (query: Query) => Answer | Promise<Answer>;
  readonly close: () => void | Promise<void>;
};

export async function openEngine(name: string, csv: string, folder: string): Promise<Engine> {
  const place = path.join(folder, name);
  const mark = `${place}.loaded`;
  if (!existsSync(mark)) rmSync(place, { recursive: true, force: true });
  // Their packages are those of bench/, which the checks of the whole house do without.
  const { open }: { open: (csv: string, place: string) => Promise<Engine> } = await import(`./${name}.ts`);
  const engine = await open(csv, place);
  writeFileSync(mark, '');
  return engine;
}
