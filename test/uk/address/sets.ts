// Reads the labelled sets of addresses beside this file and marks the matcher against them.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { firstRows } from '../../../src/ingest/read/csv.ts';
import { matchAddress } from '../../../src/uk/address/match.ts';

export type Pair = {
  readonly group: string;
  readonly postcode: string;
  readonly input: string;
  /** An address of the group's list, or the code of a refusal. */
  readonly expected: string;
  readonly note: string;
  readonly candidates: readonly string[];
};

const rowsOf = (name: string) =>
  firstRows(
    readFileSync(path.join(import.meta.dirname, `${name}.csv`)),
    Number.POSITIVE_INFINITY,
    'utf-8',
  ).slice(1);

export function readSet(name: string): readonly Pair[] {
  const lists = new Map<string, { postcode: string; candidates: string[] }>();
  for (const [group = '', postcode = '', address = ''] of rowsOf(`${name}-lists`)) {
    const list = lists.get(group) ?? { postcode, candidates: [] };
    list.candidates.push(address);
    lists.set(group, list);
  }
  return rowsOf(name).map(([group = '', input = '', expected = '', note = '']) => {
    const list = lists.get(group);
    if (list === undefined) throw new RangeError(`No list for group ${group}.`);
    return { group, input, expected, note, ...list };
  });
}

export const refusals = ['FLAT_ONLY_ADDRESS', 'ORGANISATION_OR_AGENT_NAME', 'PROPERTY_NOT_FOUND'];

/** What the matcher answers, in the words of the sets. */
export function answer(pair: Pair): string {
  const match = matchAddress(pair.input, pair.postcode, pair.candidates);
  if (match.kind === 'flat-only') return 'FLAT_ONLY_ADDRESS';
  if (match.kind === 'organisation') return 'ORGANISATION_OR_AGENT_NAME';
  return match.kind === 'matched' ? (pair.candidates[match.index] ?? '') : 'PROPERTY_NOT_FOUND';
}

export type Marks = {
  readonly pairs: number;
  readonly answerable: number;
  readonly found: number;
  /** Another address than the one meant, or any where none was. */
  readonly wrong: readonly string[];
  readonly missed: readonly string[];
  /** Refused, but with another code than the right one. */
  readonly miscoded: readonly string[];
};

export function mark(pairs: readonly Pair[]): Marks {
  const wrong: string[] = [];
  const missed: string[] = [];
  const miscoded: string[] = [];
  for (const pair of pairs) {
    const given = answer(pair);
    if (given === pair.expected) continue;
    const line = `${pair.group}: "${pair.input}" gave ${given}, expected ${pair.expected}`;
    if (!refusals.includes(given)) wrong.push(line);
    else if (!refusals.includes(pair.expected)) missed.push(line);
    else miscoded.push(line);
  }
  const answerable = pairs.filter(({ expected }) => !refusals.includes(expected)).length;
  const mismatched = pairs.filter(
    (pair) => !refusals.includes(pair.expected) && answer(pair) !== pair.expected,
  ).length;
  return { pairs: pairs.length, answerable, found: answerable - mismatched, wrong, missed, miscoded };
}
