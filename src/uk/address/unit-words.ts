// Which words name a dwelling within a building, and which of them mean the same. This is the only place that says so:
// what is not written here as the same means another home.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** One meaning, but where a list has both flats and units in a postcode: it then means two things by them (`match.ts`). */
const sameDwelling = words('FLAT APARTMENT UNIT');

/**
 * Each of these is a kind of its own: a building has a Studio 2 beside its Flat 2, and a Maisonette 2 beside both.
 * They are units even without a number ("The Annexe"). Words that are not here name a kind too where a number ends their
 * part of the address: "Kiosk 2, Heron Court".
 */
const ownKinds = words(
  'STUDIO ROOM MAISONETTE PENTHOUSE SUITE PLOT BEDSIT BEDSITTER ANNEXE DUPLEX LOFT CHALET CARAVAN PITCH BERTH GARAGE POD MOORING',
);
/** Plural, and so a unit only where its identifier follows ("Flats 1-3"); else the name of a block. */
const pluralUnits = words('FLATS APARTMENTS STUDIOS UNITS ROOMS');

export type UnitWord = 'flat' | 'special' | 'plural';

export function unitWordKind(word: string): UnitWord | undefined {
  if (sameDwelling.has(word)) return 'flat';
  if (ownKinds.has(word)) return 'special';
  return pluralUnits.has(word) ? 'plural' : undefined;
}

/** Where in the building: always so, or only beside a word like flat or floor. Never left out on one side. */
const surePlaces = words('BASEMENT REAR');
const possiblePlaces = words(
  'GROUND FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH TOP UPPER LOWER GARDEN FRONT BACK LEFT RIGHT MIDDLE CENTRE SIDE HALL COURTYARD MEZZANINE ATTIC ABOVE RAISED MAIN',
);
/** Of flats, and as often of villages: East Caldershaw. */
const sides = words('EAST WEST NORTH SOUTH');
export const isSurePlace = (word: string): boolean => surePlaces.has(word);
export const isPlace = (word: string): boolean => isLevel(word) || sides.has(word);
export const isLevel = (word: string) => surePlaces.has(word) || possiblePlaces.has(word);

/** Beside another dwelling, hence not that dwelling. */
export const isBeside = (word: string): boolean => beside.has(word);
const beside = words('ADJ ADJACENT ADJOINING BEHIND OPPOSITE OPP NEAR NEXT BETWEEN LAND');

/** Parts of an estate that carry a letter or number: "Block B". */
export const isBlockWord = (word: string): boolean => blockWords.has(word);
const blockWords = words('BLOCK STAIR STAIRCASE ENTRANCE PHASE CORE WING');

/** Parts of a plot or a building that are not its dwelling, or whose dwelling it is. */
const things = words(
  'FLOOR LEVEL ATTIC OFFICE OFFICES STORE STORES KIOSK PARKING SPACE STORAGE LOCKER CELLAR VAULT SHED SHOP WORKSHOP SURGERY SALON CAFE RESTAURANT LAUNDRY CLINIC CLUB DEPOT BAY STALL BOOTH DESK OUTBUILDING WAREHOUSE HOUSEBOAT NARROWBOAT BARGE TREEHOUSE HAYLOFT YURT ACCOMMODATION STABLE STABLES BARN GARAGES CABIN HUT LOFT ANNEXE BASEMENT REAR PREMISES',
);
const people = words(
  'WARDENS WARDEN STAFF CARETAKERS CARETAKER PORTERS PORTER MANAGERS MANAGER STEWARDS STEWARD GUEST NURSES NURSE DOCTORS DOCTOR TUTORS GARDENERS CHAUFFEURS SERVANTS KEEPERS',
);
/** Whose flat it is in any building: "Porters Flat". */
export const isPerson = (word: string): boolean => people.has(word);

const pairs: ReadonlySet<string> = new Set(['CAR PARK', 'LOCK UP', 'MOBILE HOME']);
const isThingWord = (word: string) =>
  things.has(word) || people.has(word) || unitWordKind(word) !== undefined;

/** A name that may be a thing beside the home of that number: "Office", "Car Park", "Porters Lodge". */
export const isThing = (name: readonly string[]): boolean =>
  name.some((word, at) => isThingWord(word) || pairs.has(`${word} ${name[at + 1] ?? ''}`));

/** Nothing else than such a thing, where Herne Bay is a town. */
export function isOnlyThing(name: readonly string[]): boolean {
  const own = name.filter((word) => word !== 'THE');
  return (own.length > 0 && own.every(isThingWord)) || pairs.has(own.join(' '));
}
