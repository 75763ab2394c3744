// Homes of one building made from the grammar: a house among flats of its number, and the flats of a block, with what could
// be taken for one of them.

import {
  blocks,
  type Chance,
  type Home,
  houseNumber,
  names,
  none,
  otherThan,
  plotBuildings,
  qualifiers,
  type Style,
  type Surroundings,
  terraces,
} from './grammar.ts';

/** The home of a name and number, which is not all of that number where it has flats: a question for the number alone. */
export function amongFlats(
  chance: Chance,
  around: Surroundings,
): readonly [asked: Home, listed: readonly Home[]] {
  const whole = { ...none, ...around, number: houseNumber(chance) };
  const named = {
    ...whole,
    building: chance.of([...names, ...blocks, ...plotBuildings, 'ARK ROYAL', 'DAISY']),
  };
  const flats = ['1', '2', '3'].slice(0, 1 + chance.below(3)).map((id) => ({ ...whole, unit: 'FLAT', id }));
  return chance.oneIn(2) ? [whole, [named, ...flats]] : [named, [whole, ...flats]];
}

/** What is asked about a block of flats: one of them, and something that none of them is. */
export type Block = {
  /** The first of them is the one asked for. */
  readonly flats: readonly Home[];
  readonly asked: Home;
  /** Without commas only: with them "Heron Court, 3 Mere Road" is the house. */
  readonly commas: Style['commas'] | 'any';
  readonly change: string;
  readonly other: Home;
};

const blockChanges: Readonly<Record<string, (flats: readonly Home[], chance: Chance) => Home>> = {
  'the block at a number that none of its flats has': ([flat = none], chance) => ({
    ...flat,
    unit: '',
    id: '',
    number: String(70 + chance.below(20)),
  }),
  'a flat that the block has not': ([flat = none], chance) => ({
    ...flat,
    id: String(70 + chance.below(20)),
  }),
  'the same flat of another block': ([flat = none], chance) => ({
    ...flat,
    building: otherThan(chance, blocks, flat.building),
    number: '',
  }),
  'a flat by the beginning of the name': ([flat = none]) => ({
    ...flat,
    building: flat.building.includes(' ') ? (flat.building.split(' ')[0] ?? '') : 'HILL',
    number: '',
  }),
  'a flat by the name and more': ([flat = none], chance) => ({
    ...flat,
    building: `${flat.building} ${chance.of(['MEWS', 'ANNEXE', 'EAST', 'LODGE'])}`,
    number: '',
  }),
  'the flat of somebody in the block': ([flat = none], chance) => ({
    ...flat,
    unit: `${chance.of(qualifiers)} FLAT`,
  }),
  'the number of the flat at the number of the block': ([flat = none]) =>
    flat.number === ''
      ? { ...flat, unit: 'FLAT', id: '', number: flat.id }
      : { ...flat, unit: '', id: '', number: flat.id === flat.number ? `${flat.id}Z` : flat.id },
};

/**
 * Three flats or more, written alike. In a half of them the list has the street's number of the block. A house with a name
 * or a row of houses is no block: "Rhydfach 3 Rosebush" may be number 3.
 */
export function blockAt(chance: Chance, around: Surroundings): Block {
  const isBlock = !chance.oneIn(4);
  const start = 1 + chance.below(20);
  const home = {
    ...none,
    ...around,
    unit: 'FLAT',
    building: isBlock ? chance.of(blocks) : chance.of([...names, ...terraces]),
    number: chance.oneIn(2) ? houseNumber(chance) : '',
  };
  const flats = Array.from({ length: 3 + chance.below(3) }, (_, at) => ({ ...home, id: String(start + at) }));
  const [flat = home] = flats;
  const change = chance.of(Object.keys(blockChanges));
  const other = blockChanges[change]?.(flats, chance) ?? home;
  const withoutStreet = (asked: Home): Home => ({ ...asked, number: '', street: '', locality: '' });
  const canBeShort = other.unit !== '' && other.building !== flat.building;
  const made = {
    flats,
    change,
    other: chance.oneIn(2) && canBeShort ? withoutStreet(other) : other,
  };
  if (isBlock && flat.number === '' && chance.oneIn(3))
    return { ...made, asked: { ...flat, unit: '', id: '', number: flat.id }, commas: 'without' };
  // No one else is named so: a house and its number in a row of that name.
  if (!isBlock && flat.number === '' && chance.oneIn(2)) {
    return {
      ...made,
      change: 'the number of a house that is no block',
      other: { ...flat, unit: '', id: '', number: flat.id },
      asked: flat,
      commas: 'any',
    };
  }
  return { ...made, asked: chance.oneIn(2) ? withoutStreet(flat) : flat, commas: 'any' };
}
