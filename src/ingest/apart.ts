// Files of one dataset that came from different hands. A loader reads them together, and its refusal names the one at fault;
// the others are then read without it, so that one bad publisher never keeps what is new of another from being loaded.

import type { Group } from './recognise.ts';
import type { IngestRefused } from './refusal.ts';

/** Paths of files, one set a hand. What is in none stands and falls with whatever it is read with. */
export type Apart = readonly (readonly string[])[];

/** `others` is undefined where the refusal concerns the whole group. */
export function partBlamed(
  group: Group,
  { message }: IngestRefused,
  apart: Apart,
): { readonly blamed: Group; readonly others: Group | undefined } {
  const { source, files } = group;
  const own = apart.filter((paths) => files.some(({ disk }) => paths.includes(disk.path)));
  const isBlamed = (paths: readonly string[]) => paths.some((path) => message.includes(path));
  const blameless = new Set(own.filter((paths) => !isBlamed(paths)).flat());
  const others = files.filter(({ disk }) => blameless.has(disk.path));
  if (others.length === 0 || !own.some(isBlamed)) return { blamed: group, others: undefined };
  const blamed = files.filter((file) => !others.includes(file));
  return { blamed: { source, files: blamed }, others: { source, files: others } };
}
