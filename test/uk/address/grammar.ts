// Homes made from the grammar of British addresses, ways of writing each, and changes that make another home of it.
// Whoever uses it knows which home a text means because the text was made from it; nothing here reads an address.

export type Home = {
  /** What kind of dwelling within the building: `FLAT`, `WARDENS FLAT`, `PARKING SPACE`; empty where there is none. */
  readonly unit: string;
  /** `3`, `3B`, `B`; empty for "Ground Floor Flat". */
  readonly id: string;
  readonly building: string;
  /** `12`, `12A`, `28-30`. */
  readonly number: string;
  readonly street: string;
  readonly locality: string;
  readonly town: string;
};

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0, below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('Nothing to choose from.');
    return item;
  }

  /** One time in `n`. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }
}

/** Each is another thing than every other of these, with the same number or without one. */
const things = [
  'FLAT',
  ...'FLOOR,LEVEL,ATTIC,OFFICE,STORE,KIOSK,PARKING SPACE,STORAGE LOCKER,CAR PARK,GARAGE,ROOM,SHOP,STUDIO,MAISONETTE'.split(
    ',',
  ),
  ...'PENTHOUSE,SUITE,BEDSIT,ANNEXE,WORKSHOP,CELLAR,LOCK UP,SHED,PLOT,PITCH,BERTH,CARAVAN,BOOTH,STALL,BAY,LOCKER'.split(
    ',',
  ),
  ...'STORE ROOM,MOBILE HOME,LODGE,CABIN,POD,CHALET,VAULT,DESK,WAREHOUSE,SURGERY,STABLE,BARN,QUILLET,ZORB,DEN'.split(
    ',',
  ),
] as const;
/** Words that nobody knows might be the name of the house, once a comma may stand anywhere: "Zorb, 7 Mere Road". */
const unknownThings = ['QUILLET', 'ZORB', 'DEN'];
export const qualifiers =
  'WARDENS,STAFF,NEW,OLD,CARETAKERS,PORTERS,MANAGERS,GUEST,SHOW,DOCTORS,NURSES,TUTORS,ZORBS,THE STEWARDS,SCHOOL,CHAPEL'.split(
    ',',
  );
/** Names that a flat may be known by, of which some are words of streets, houses or directions. */
const unitNames =
  'CRESCENT,NORTH,TOWER,HERON,GARDEN,COURT,HOUSE,LODGE,COTTAGE,VILLA,TERRACE,GATE,EAST WING,SWAN LODGE,QUEENS GATE,WEST VIEW'.split(
    ',',
  );
/** Of a numbered home that stands in or beside a named building: "2A COTTAGE, SWAN LODGE". */
const numberedKinds = 'COTTAGE,LODGE,VILLA,HOUSE,BUNGALOW,CABIN,COURT,BARN,CRESCENT,WINDRUSH'.split(',');
const houseNames =
  'SWAN LODGE,QUEENS GATE,MAXWELL COURT,FAIRLEA,THE MALTINGS,HILL RISE,ST JOHNS,WESTON'.split(',');
const floors =
  'GROUND FLOOR,FIRST FLOOR,SECOND FLOOR,TOP FLOOR,LOWER GROUND FLOOR,BASEMENT,ATTIC,GARDEN,REAR,FRONT,UPPER'.split(
    ',',
  );
export const blocks =
  'HERON COURT,TURNSTONE MANSIONS,WREN HOUSE,ORCHARD BUILDING,KESTREL TOWER,KINGS LODGE,STORE HOUSE,GARDEN COURT,OFFICE CHAMBERS,PRATT LTD HOUSE,ST JOHNS COURT,THE GRANARY'.split(
    ',',
  );
/** Houses side by side under one name. */
export const terraces = 'THE MEWS,PARK VILLAS,ROSE COTTAGES,CHURCH TERRACE'.split(',');
/** Such a name says which home only beside the number of the main one. */
export const plotBuildings =
  'THE ANNEXE,THE COACH HOUSE,WEST WING,THE BUNGALOW,THE STABLES,GARDEN COTTAGE,MEWS COTTAGE,THE LODGE,THE COTTAGE,HOUSEBOAT,TREEHOUSE,HAYLOFT,LIVING ACCOMMODATION'.split(
    ',',
  );
const positions = 'BACK,TOP,UPPER,FRONT,LEFT,LOWER,MIDDLE,RIGHT,SIDE,REAR,BASEMENT,ATTIC,GARDEN'.split(',');
export const names =
  'RHYDFACH,WINDRUSH,TY GWYN,FAIRVIEW,ROSE COTTAGE,MANOR FARM,THE OLD FORGE,BRYN AWEL,HILLCREST'.split(',');
const streets =
  'MERE ROAD,QUARRY LANE,ST ANNES STREET,HIGH STREET,STORE STREET,GARAGE LANE,PARK CRESCENT,WALDECK STREET,QUICKS ROAD,MILL CLOSE,CHURCH HILL,WINDMILL TERRACE,BRIDGE STREET,OFFICE ROAD,KING EDWARD AVENUE'.split(
    ',',
  );
/** Nothing in them says that they are streets. */
const plainStreets =
  'STONEGATE,ROSEBUSH,THE GREEN,MAES GLAS,HEOL FAWR,BOWLING GREEN,THE SHAMBLES,KINGSDON'.split(',');
const localities = ',,,,MAINDEE,ACOMB,UPPER NORTON,KINGS HEATH,LITTLE STOKE'.split(',');
const towns = 'NEWPORT,HALVERTON,ACOCKS GREEN,HIGH WYCOMBE,ST ALBANS,LEIGH ON SEA,NEW ROMNEY,YORK'.split(',');

const numeral = (chance: Chance, least: number, most: number) =>
  String(least + chance.below(most - least + 1)) + (chance.oneIn(6) ? chance.of(['A', 'B', 'C']) : '');

export function houseNumber(chance: Chance): string {
  if (!chance.oneIn(8)) return numeral(chance, 1, 60);
  const start = 1 + chance.below(50);
  return `${start}-${start + 2 * (1 + chance.below(2))}`;
}

export const none = {
  unit: '',
  id: '',
  building: '',
  number: '',
  street: '',
  locality: '',
  town: '',
} as const;

/** What homes of one postcode share. */
export type Surroundings = Pick<Home, 'street' | 'locality' | 'town'>;

export const surroundings = (chance: Chance): Surroundings => ({
  street: chance.oneIn(4) ? chance.of(plainStreets) : chance.of(streets),
  locality: chance.of(localities),
  town: chance.of(towns),
});

export function homeAt(chance: Chance, around: Surroundings): Home {
  const place = { ...none, ...around };
  const id = chance.oneIn(6) ? chance.of(['A', 'B', 'C', 'D']) : numeral(chance, 1, 40);
  const unit = chance.oneIn(4) ? chance.of(things) : 'FLAT';
  // Flat 3 at number 3 has all that number 3 has.
  const number = chance.oneIn(8) && /^\d/.test(id) ? id : houseNumber(chance);
  switch (chance.below(11)) {
    case 0:
    case 1:
      return { ...place, number };
    case 2:
      return { ...place, building: chance.of(names) };
    case 3:
      return { ...place, unit, id, number };
    case 4:
      return { ...place, unit, id, building: chance.of([...blocks, ...names]) };
    case 5:
      return { ...place, unit, id, building: chance.of([...blocks, ...names]), number };
    case 6:
      return { ...place, unit: `${chance.of(floors)} FLAT`, number };
    case 7:
      return { ...place, building: chance.of([...blocks, ...names, ...plotBuildings]), number };
    case 8:
      return { ...place, unit: 'FLAT', id, building: chance.of(terraces), number: chance.of([number, '']) };
    case 9:
      return { ...place, unit, id };
    default: {
      const name = `${numeral(chance, 1, 9)} ${chance.of(chance.oneIn(2) ? numberedKinds : [...blocks, ...names])}`;
      const building = chance.oneIn(2) ? name : `${name}, ${chance.of(houseNames)}`;
      return { ...place, building, number: chance.of([number, '']) };
    }
  }
}

export const otherThan = (chance: Chance, items: readonly string[], known: string): string => {
  for (;;) {
    const item = chance.of(items);
    if (item !== known) return item;
  }
};

/** "2A COTTAGE", "14 KESTREL COURT" */
const numberedBuilding = /^(\d+[A-Z]?) /;

type Change = (home: Home, chance: Chance) => Home | undefined;

const shifted = (text: string, chance: Chance) =>
  text.replace(/\d+/g, (digits) => String(Number(digits) + 1 + chance.below(9)));

/** Without commas, Heron Court 2, High Street is Heron Court, 2 High Street. */
export const numberAfterBuilding = 'a number after the building';

/** Each makes another home of it by one meaningful thing; undefined where the home has no such thing. */
export const changes: Readonly<Record<string, Change>> = {
  'another kind of unit': (home, chance) =>
    home.unit === '' || home.id === '' ? undefined : { ...home, unit: otherThan(chance, things, home.unit) },
  'a word before the unit': (home, chance) =>
    home.unit === ''
      ? undefined
      : { ...home, unit: `${otherThan(chance, [...qualifiers, ...unitNames], home.unit)} ${home.unit}` },
  'a floor before the unit': (home, chance) =>
    home.unit !== 'FLAT' || home.id === '' ? undefined : { ...home, unit: `${chance.of(floors)} FLAT` },
  'another floor': (home, chance) =>
    home.unit === '' || home.id !== ''
      ? undefined
      : { ...home, unit: `${otherThan(chance, floors, home.unit.replace(/ FLAT$/, ''))} FLAT` },
  'another number of the unit': (home, chance) =>
    /\d/.test(home.id) ? { ...home, id: shifted(home.id, chance) } : undefined,
  'a letter more on the unit': (home, chance) =>
    /\d$/.test(home.id) ? { ...home, id: `${home.id}${chance.of(['A', 'B', 'Z'])}` } : undefined,
  'another letter of the unit': (home) =>
    /[A-D]$/.test(home.id)
      ? { ...home, id: home.id.replace(/[A-D]$/, (letter) => (letter === 'D' ? 'C' : 'D')) }
      : undefined,
  'no unit': (home) =>
    home.unit === '' || (home.building === '' && home.number === '')
      ? undefined
      : { ...home, unit: '', id: '' },
  'a unit more': (home, chance) =>
    home.unit !== '' || (home.building === '' && home.number === '')
      ? undefined
      : {
          ...home,
          unit: chance.oneIn(2) ? 'FLAT' : chance.of(things),
          id: numeral(chance, 1, 9),
        },
  'house number for flat number': (home) =>
    home.unit === '' || home.id === '' || home.number !== '' || /^[A-Z]$/.test(home.id)
      ? undefined
      : { ...home, unit: '', id: '', number: home.id },
  'flat number for house number': (home) =>
    home.unit !== '' || home.number === '' || home.building !== ''
      ? undefined
      : { ...home, unit: 'FLAT', id: home.number, number: '' },
  'numbers exchanged': (home) =>
    home.id === '' || home.number === '' || home.id === home.number || !/^\d+[A-Z]?$/.test(home.id)
      ? undefined
      : { ...home, id: home.number, number: home.id },
  'another house number': (home, chance) =>
    home.number === '' ? undefined : { ...home, number: shifted(home.number, chance) },
  'a letter more on the house': (home, chance) =>
    /\d$/.test(home.number) && !home.number.includes('-')
      ? { ...home, number: `${home.number}${chance.of(['A', 'B', 'Z'])}` }
      : undefined,
  'the letter of the house left out': (home) =>
    /\d[A-Z]$/.test(home.number) ? { ...home, number: home.number.slice(0, -1) } : undefined,
  'one house of a range': (home, chance) =>
    home.number.includes('-')
      ? { ...home, number: home.number.split('-')[chance.below(2)] ?? '' }
      : undefined,
  'a range from the house': (home) =>
    /^\d+$/.test(home.number) ? { ...home, number: `${home.number}-${Number(home.number) + 2}` } : undefined,
  'another building': (home, chance) =>
    home.building === '' || home.number !== ''
      ? undefined
      : { ...home, building: otherThan(chance, [...blocks, ...names], home.building) },
  'another kind of building': (home, chance) =>
    / (?:COURT|HOUSE|LODGE|COTTAGE|FARM)$/.test(home.building) && home.number === ''
      ? {
          ...home,
          building: home.building.replace(/ \w+$/, ` ${chance.of(['MEWS', 'GARDENS', 'BARN', 'TERRACE'])}`),
        }
      : undefined,
  'another street': (home, chance) =>
    home.number === '' && (home.building === '' || home.unit !== '')
      ? undefined
      : { ...home, street: otherThan(chance, [...streets, ...plainStreets], home.street) },
  'another kind of street': (home, chance) =>
    (home.number !== '' || home.unit === '') && / (?:ROAD|LANE|STREET|CLOSE|HILL|AVENUE)$/.test(home.street)
      ? {
          ...home,
          street: home.street.replace(/ \w+$/, ` ${chance.of(['DRIVE', 'GROVE', 'WAY', 'MEWS', 'SQUARE'])}`),
        }
      : undefined,
  'a word more in the street': (home, chance) =>
    home.number === '' || home.street.startsWith('THE ')
      ? undefined
      : chance.oneIn(2)
        ? {
            ...home,
            street: `${home.street} ${chance.of(['NORTH', 'EAST', 'MEWS', 'GARDENS', 'COTTAGES', 'HOUSES', 'MARKET'])}`,
          }
        : {
            ...home,
            street: `${chance.of(['UPPER', 'NEW', 'OLD', 'LITTLE', 'BACK', 'WEST'])} ${home.street}`,
          },
  'another building of the plot': (home, chance) =>
    home.unit === '' && home.number !== '' && home.building === ''
      ? {
          ...home,
          building: chance.of(plotBuildings),
        }
      : undefined,
  'another name behind a numbered one': (home, chance) =>
    numberedBuilding.test(home.building) && home.building.includes(', ')
      ? { ...home, building: home.building.replace(/, .*/, `, ${chance.of(houseNames)}`) }
      : undefined,
  'the name behind a numbered one left out': (home) =>
    numberedBuilding.test(home.building) && home.building.includes(', ')
      ? { ...home, building: home.building.replace(/, .*/, '') }
      : undefined,
  'another number of the building': (home, chance) =>
    numberedBuilding.test(home.building) ? { ...home, building: shifted(home.building, chance) } : undefined,
  'the number of the building left out': (home) =>
    numberedBuilding.test(home.building)
      ? { ...home, building: home.building.replace(numberedBuilding, '') }
      : undefined,
  'the number of the building as that of the street': (home) => {
    const [, number] = numberedBuilding.exec(home.building) ?? [];
    return number === undefined || number === home.number
      ? undefined
      : { ...home, building: home.building.replace(numberedBuilding, ''), number };
  },
  'a unit after the building': (home, chance) =>
    home.building === '' || home.unit === ''
      ? undefined
      : {
          ...home,
          building: `${home.building} ${chance.of(['ANNEXE', 'STUDIO', 'GARAGE', 'LOFT', 'PENTHOUSE'])}`,
        },
  [numberAfterBuilding]: (home, chance) =>
    home.building === '' || home.unit === ''
      ? undefined
      : { ...home, building: `${home.building} ${chance.of(['2', '3'])}` },
  'a position after the street': (home, chance) =>
    home.number === '' ? undefined : { ...home, street: `${home.street} ${chance.of(positions)}` },
  'a name before the building': (home, chance) =>
    home.building === '' || home.number === '' || plotBuildings.includes(home.building)
      ? undefined
      : {
          ...home,
          building: `${otherThan(chance, [...names, ...plotBuildings, 'ADJ', 'ADJACENT', 'STATION HOUSE', 'WREN COURT'], home.building.replace(numberedBuilding, '').replace(/, .*/, ''))}, ${home.building}`,
        },
  'a house of the terrace': (home) =>
    home.unit === 'FLAT' && /^\d/.test(home.id) && terraces.includes(home.building)
      ? { ...home, unit: '', id: '', building: `${home.id} ${home.building}` }
      : undefined,
  'the number of the unit left out': (home) =>
    home.id === '' || (home.building === '' && home.number === '') ? undefined : { ...home, id: '' },
  'the number of the plot left out': (home) =>
    home.number !== '' && plotBuildings.includes(home.building) ? { ...home, number: '' } : undefined,
  'beside it': (home, chance) =>
    home.number === ''
      ? undefined
      : {
          ...home,
          number: `${chance.of(['REAR OF', 'LAND ADJ TO', 'ADJACENT TO', 'OPPOSITE', 'R/O'])} ${home.number}`,
        },
  'a room in it': (home) =>
    home.unit === 'FLAT' && home.id !== '' ? { ...home, unit: 'ROOM 2, FLAT' } : undefined,
  'a block more': (home, chance) =>
    home.unit === 'FLAT' && home.building !== ''
      ? { ...home, building: `BLOCK ${chance.of(['A', 'B', 'C'])}, ${home.building}` }
      : undefined,
  'the locality for the street': (home) =>
    home.number === '' || home.locality === '' || home.building !== ''
      ? undefined
      : { ...home, street: home.locality, locality: '' },
};

/** Flat A at 38 and 38A are one home, and so are Flat 3 and 3 of a block. */
function settled(home: Home): Home {
  const isMoved = home.unit === 'FLAT' && /^[A-Z]$/.test(home.id) && /^\d+$/.test(home.number);
  if (isMoved) return { ...home, unit: '', id: '', number: `${home.number}${home.id}` };
  const [, id] = numberedBuilding.exec(home.building) ?? [];
  return id !== undefined && home.unit === ''
    ? { ...home, unit: 'FLAT', id, building: home.building.replace(numberedBuilding, '') }
    : home;
}

/** Nothing that both say tells them apart: a house with a name and a number may be asked for by either. */
export const mayBeSame = (one: Home, two: Home): boolean =>
  isAlike(one, two) || isAlike(settled(one), settled(two));

function isAlike(a: Home, b: Home): boolean {
  if (a.unit !== b.unit || a.id !== b.id || a.street !== b.street) return false;
  if (a.number !== b.number && a.number !== '' && b.number !== '') return false;
  if (a.building === b.building) return a.number === b.number || !plotBuildings.includes(a.building);
  const isEither = a.building === '' || b.building === '';
  return isEither && a.number === b.number && !plotBuildings.includes(`${a.building}${b.building}`);
}

export type Style = {
  /** `anywhere`: some between parts, some within them, as no one should. */
  readonly commas: 'with' | 'without' | 'anywhere';
  readonly town: 'with' | 'without' | 'twice';
};

/** For whom the letter is. */
const addressees = ['Mrs Plover', 'Dexters Ltd', 'Savills', 'ABC Lettings Ltd'];

const synonyms = ['FLAT', 'Flat', 'FLT', 'APARTMENT', 'Apartment', 'APT', 'Apt.'];

/** As valuation lists have it. */
export function listed(home: Home, commas: 'with' | 'without'): string {
  const parts = partsOf(home, home.unit).concat(home.town);
  return commas === 'with' ? parts.join(', ') : withoutCommas(parts);
}

const shortForms: readonly (readonly [RegExp, string])[] = [
  [/\bROAD\b/g, 'Rd'],
  [/\bSTREET\b/g, 'St.'],
  [/\bLANE\b/g, 'Ln'],
  [/\bAVENUE\b/g, 'Ave'],
  [/\bCOURT\b/g, 'Ct'],
  [/\bHOUSE\b/g, 'Hse'],
  [/\bTERRACE\b/g, 'Terr'],
  [/(\d)-(\d)/g, '$1 - $2'],
];

/** As people type it. */
export function typed(home: Home, style: Style, chance: Chance): string {
  const { town } = style;
  const commas = style.commas === 'anywhere' && unknownThings.includes(home.unit) ? 'without' : style.commas;
  const unit = home.unit.replace(/^FLAT$/, () => chance.of(synonyms));
  const number = /^\d/.test(home.number) && chance.oneIn(12) ? `No ${home.number}` : home.number;
  const parts = partsOf({ ...home, number }, unit);
  if (home.unit !== '' && home.building !== '' && commas === 'with' && chance.oneIn(6)) {
    const [first = '', second = '', ...rest] = parts;
    parts.splice(0, parts.length, second, first, ...rest);
  } else if (home.unit === 'FLAT' && home.number !== '' && commas !== 'without' && chance.oneIn(8)) {
    // "12 Mere Road, Flat 3"
    const [first = '', ...rest] = parts;
    const street = home.building === '' ? 1 : 2;
    parts.splice(0, parts.length, ...rest.slice(0, street), first, ...rest.slice(street));
  }
  if (
    home.unit === 'FLAT' &&
    home.id !== '' &&
    home.building !== '' &&
    commas !== 'with' &&
    chance.oneIn(6)
  ) {
    // "South View Flat 7 Iris Lane"
    const [first = '', second = '', ...rest] = parts;
    parts.splice(0, parts.length, second, first, ...rest);
  }
  if (/^\d/.test(parts[0] ?? '') && chance.oneIn(30)) parts.unshift(chance.of(addressees));
  if (town !== 'without') parts.push(home.town);
  if (town === 'twice') parts.push(home.town);
  const whole = join(parts, commas, chance);
  const text = chance.oneIn(3)
    ? shortForms.reduce((said, [long, short]) => said.replace(long, short), whole)
    : whole;
  return chance.oneIn(2) ? text.toLowerCase() : text;
}

/** All but the town. */
function partsOf({ id, building, number, street, locality }: Home, unit: string): string[] {
  return [`${unit} ${id}`.trim(), building, `${number} ${street}`.trim(), locality].filter(
    (part) => part !== '',
  );
}

const withoutCommas = (parts: readonly string[]) => parts.join(' ').replaceAll(',', '');

function join(parts: readonly string[], commas: Style['commas'], chance: Chance): string {
  if (commas === 'with') return parts.join(', ');
  const words = withoutCommas(parts);
  return commas === 'without' ? words : words.replaceAll(' ', () => (chance.oneIn(3) ? ', ' : ' '));
}
