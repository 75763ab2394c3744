// Questions made from the grammar, each with the list it is asked of and the entry that it means, if any.

import { learnEndings } from '../../../src/uk/address/lines.ts';
import { matchAddress } from '../../../src/uk/address/match.ts';
import { amongFlats, blockAt } from './flats.ts';
import {
  Chance,
  changes,
  type Home,
  homeAt,
  listed,
  mayBeSame,
  numberAfterBuilding,
  type Style,
  surroundings,
  typed,
} from './grammar.ts';

export type Trial = {
  /** What makes the home asked for another one than those of the list; empty where the list has it. */
  readonly change: string;
  readonly text: string;
  readonly list: readonly string[];
  /** Index in the list, −1 where it has no such home. */
  readonly wanted: number;
  /** "list without commas, asked with commas, without town" */
  readonly style: string;
};

const bothWays = ['with', 'without'] as const;
const commaWays = ['with', 'without', 'anywhere'] as const;
const townWays = ['with', 'without', 'twice'] as const;
const changeNames = Object.keys(changes);
/** By its words alone, which one text may have without the locality: "Flat, 30 Mere Road" and Flat 30 of Mere Road. */
const plain = (home: Home) =>
  listed({ ...home, locality: '' }, 'without')
    .replace(/\bTHE\b/g, '')
    .replaceAll(' ', '');

/** Two questions about one postcode: for a home that its list has, and for one that differs from it in one thing. */
export function trialsAt(chance: Chance, town: string, commas: 'with' | 'without'): readonly [Trial, Trial] {
  const around = { ...surroundings(chance), town };
  const base = homeAt(chance, around);
  const others = Array.from({ length: chance.below(6) }, () =>
    homeAt(chance, chance.oneIn(2) ? around : { ...surroundings(chance), town }),
  );
  const word = chance.of(['FLAT', 'FLAT', 'APARTMENT']);
  const trialOf = (change: string, asked: Home, ...own: readonly Home[]): Trial =>
    trialIn(change === numberAfterBuilding ? 'with' : chance.of(commaWays), change, asked, own);
  const trialIn = (
    asking: Style['commas'],
    change: string,
    asked: Home,
    own: readonly Home[],
    part = '',
  ): Trial => {
    const style = {
      commas: asking,
      town: chance.of(townWays),
    } as const;
    const homes = [
      ...own,
      ...others.filter(
        (other) =>
          !mayBeSame(other, asked.street === '' ? { ...asked, street: other.street } : asked) &&
          plain(other) !== plain(asked),
      ),
    ];
    return {
      change,
      text: typed(asked, style, chance),
      list: homes.map((home) => listed(home, commas).replace(/^FLAT(?= \w+\b)/, word)),
      wanted: change === '' ? 0 : -1,
      style: `list ${commas} commas, asked ${style.commas} commas, ${style.town} town${part}`,
    };
  };
  if (chance.oneIn(10)) {
    const { flats, asked, commas: asking, change, other } = blockAt(chance, around);
    return [
      trialIn(asking === 'any' ? chance.of(commaWays) : asking, '', asked, flats, ', of a block'),
      trialOf(change, other, ...flats),
    ];
  }
  const same = trialOf('', base, base);
  if (chance.oneIn(20)) {
    const [asked, own] = amongFlats(chance, around);
    return [same, trialOf('one name among flats', asked, ...own)];
  }
  for (;;) {
    const change = chance.of(changeNames);
    const other = changes[change]?.(base, chance);
    // Without commas some two homes are one text, and then no one can tell which is meant.
    if (change === numberAfterBuilding && commas === 'without') continue;
    if (other === undefined || mayBeSame(base, other) || plain(base) === plain(other)) continue;
    return [same, chance.oneIn(2) ? trialOf(change, other, base) : trialOf(change, base, other)];
  }
}

export type Score = {
  differing: number;
  /** Matched though they differ, or with another entry than the one meant. */
  readonly wrong: string[];
  /** By style: asked and found. */
  readonly found: Map<string, { asked: number; found: number }>;
};

const postcode = 'ZZ1 1AA';

/** Asks until so many homes that differ were asked for. */
export function runTrials(seed: number, differing: number): Score {
  const chance = new Chance(seed);
  const score: Score = { differing: 0, wrong: [], found: new Map() };
  while (score.differing < differing) {
    const { town } = surroundings(chance);
    const commas = chance.of(bothWays);
    const neighbours = Array.from({ length: 60 }, () => homeAt(chance, { ...surroundings(chance), town }));
    const endings = learnEndings(neighbours.map((home) => listed(home, commas)));
    for (let round = 0; round < 100; round += 1) {
      for (const trial of trialsAt(chance, town, commas)) {
        // Listed homes in a part of the rounds, enough to count by.
        if (trial.change === '' && round % 4 !== 0) continue;
        const match = matchAddress(trial.text, postcode, trial.list, endings);
        note(score, trial, match.kind === 'matched' ? match.index : -1);
      }
    }
  }
  return score;
}

export function note(score: Score, { change, text, list, wanted, style }: Trial, index: number): void {
  if (index !== -1 && index !== wanted) {
    score.wrong.push(`"${text}" → ${list[index]} (${change || 'another entry'})`);
  }
  if (change !== '') {
    score.differing += 1;
    return;
  }
  const sum = score.found.get(style) ?? { asked: 0, found: 0 };
  sum.asked += 1;
  if (index === wanted) sum.found += 1;
  score.found.set(style, sum);
}
