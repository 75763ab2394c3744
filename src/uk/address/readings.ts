// The ways of taking an address (which number is the flat, which the house), and whether two of them number the
// same home.

import type { Address, NumberItem } from './address.ts';
import type { Unit } from './unit.ts';

export type Difference =
  | 'another postcode'
  | 'another block'
  | 'another unit'
  | 'unit on one side only'
  | 'another number'
  | 'number on one side only'
  | 'another street or building'
  | 'words that are not in the address';

/** What was let pass, with what it costs. */
export const costs = {
  'another spelling of the unit': 0.04,
  'letter of the flat with the number': 0.08,
  'number on one side only': 0.1,
  'building name on one side only': 0.1,
  'one slip': 0.07,
  'as the other lines tell': 0.1,
  'town or locality differs': 0.01,
} as const;
export type Allowance = keyof typeof costs;
type Typed = Unit & { readonly isTyped: boolean; readonly item: NumberItem | undefined };

/** One way of taking an address: which number is the flat and which the house. */
export type Reading = { readonly unit: Typed | undefined; readonly numbers: readonly NumberItem[] };
const untyped = (item: NumberItem): Typed => ({
  kind: 'FLAT',
  id: item.value,
  place: '',
  isTyped: false,
  item,
});

function mergeUnits(units: readonly Unit[]): Typed | undefined {
  const [first] = units;
  if (first === undefined) return undefined;
  if (units.length === 1) return { ...first, isTyped: true, item: undefined };
  const named = units.filter(({ id }) => id !== '');
  const place = units.flatMap((unit) => (unit.place === '' ? [] : unit.place.split(' ')));
  // "Flat 1, Heron Court Annexe" is not Flat 1 of the court.
  const kinds = units.some(({ kind }) => kind === 'BESIDE') ? ['BESIDE'] : units.map(({ kind }) => kind);
  return {
    kind: kinds
      .filter((kind, at) => kind !== 'FLAT' || kinds.indexOf(kind) === at)
      .sort()
      .join('+'),
    // "Flat 3, Room 2" and "Room 2, Flat 3"
    id:
      named.length > 1
        ? named
            .map(({ kind, id }) => `${kind} ${id}`)
            .sort()
            .join('+')
        : (named[0]?.id ?? ''),
    place: place.sort().join(' '),
    isTyped: true,
    item: undefined,
  };
}

export function readingsOf(address: Address): readonly Reading[] {
  const { numbers, unitAsNumber } = address;
  const typed = mergeUnits(address.units);
  const [first, second] = numbers;
  if (typed !== undefined) {
    const readings: Reading[] = [{ unit: typed, numbers }];
    if (unitAsNumber !== undefined && numbers.length === 0 && address.units.length === 1) {
      readings.push({ unit: { ...typed, id: '' }, numbers: [unitAsNumber] });
      const [flat, house] = /^(\d+[A-Z]?)-(\d+[A-Z]?)$/.exec(unitAsNumber.value)?.slice(1) ?? [];
      if (flat !== undefined && house !== undefined) {
        readings.push({ unit: { ...typed, id: flat }, numbers: [{ ...unitAsNumber, value: house }] });
      }
    }
    return readings;
  }
  if (first === undefined) return [{ unit: undefined, numbers }];
  if (second === undefined) {
    return [
      { unit: undefined, numbers },
      { unit: untyped(first), numbers: [] },
    ];
  }
  const rest = numbers.slice(2);
  const readings: Reading[] = [{ unit: untyped(first), numbers: [second, ...rest] }];
  const isEachNamed = first.grip === 'after' && second.grip === 'after';
  const isBothAfterName = first.grip === 'none' && second.grip === 'none' && first.before >= 0;
  if (isEachNamed || isBothAfterName) readings.push({ unit: untyped(second), numbers: [first, ...rest] });
  return readings;
}

export type Identity = {
  readonly allowances: readonly Allowance[];
  readonly pairs: readonly (readonly [NumberItem, NumberItem])[];
  readonly lone: 'none' | 'input' | 'candidate';
};

const isFlatId = (unit: Typed | undefined): unit is Typed =>
  unit !== undefined && unit.kind === 'FLAT' && unit.place === '';

/** 38A, and Flat A at 38. */
function isLetterMoved(whole: Reading, split: Reading): boolean {
  const [number] = whole.numbers;
  const [house] = split.numbers;
  if (number === undefined || house === undefined || whole.numbers.length + split.numbers.length !== 2)
    return false;
  // "Flat 38A High Street" may as well be the flat of that number.
  if (whole.unit !== undefined) return false;
  if (!isFlatId(split.unit) || !/^[A-Z]$/.test(split.unit.id) || !/^\d+$/.test(house.value)) return false;
  return number.value === `${house.value}${split.unit.id}`;
}

function compareUnits(a: Typed | undefined, b: Typed | undefined): readonly Allowance[] | Difference {
  if (a === undefined && b === undefined) return [];
  if (a === undefined || b === undefined) return 'unit on one side only';
  // "First Floor Flat 2" may be another home than Flat 2, and whether it is no list says.
  if (a.kind !== b.kind || a.id !== b.id || a.place !== b.place) return 'another unit';
  return a.isTyped === b.isTyped ? [] : ['another spelling of the unit'];
}

export function compareIdentity(a: Reading, b: Reading): Identity | Difference {
  const [numberA] = a.numbers;
  const [numberB] = b.numbers;
  if (numberA !== undefined && numberB !== undefined && (isLetterMoved(a, b) || isLetterMoved(b, a))) {
    return { allowances: ['letter of the flat with the number'], pairs: [[numberA, numberB]], lone: 'none' };
  }
  const units = compareUnits(a.unit, b.unit);
  if (typeof units === 'string') return units;
  // A single number without a word for it is a flat only where the other side says so.
  const isNeitherTyped = a.unit?.isTyped === false && b.unit?.isTyped === false;
  if (isNeitherTyped && a.numbers.length + b.numbers.length === 0) return 'another number';
  if (a.numbers.length !== b.numbers.length) {
    if (a.numbers.length + b.numbers.length !== 1) return 'another number';
    const lone = a.numbers.length === 1 ? 'input' : 'candidate';
    return { allowances: [...units, 'number on one side only'], pairs: [], lone };
  }
  const open = [...b.numbers];
  const pairs: (readonly [NumberItem, NumberItem])[] = [];
  for (const number of a.numbers) {
    const at = open.findIndex(({ value }) => value === number.value);
    const [other] = at === -1 ? [] : open.splice(at, 1);
    if (other === undefined) return 'another number';
    pairs.push([number, other]);
  }
  return { allowances: units, pairs, lone: 'none' };
}
