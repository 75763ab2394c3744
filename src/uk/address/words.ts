// The words of British addresses: their abbreviations, and which of them name a street, a house or a firm.

import { isLevel, unitWordKind } from './unit-words.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const spellings: Readonly<Record<string, string>> = {
  ROAD: 'RD ROAD',
  LANE: 'LN LA LNE',
  AVENUE: 'AVE AV AVN AVEN',
  DRIVE: 'DR DRV',
  CLOSE: 'CL CLS CLO',
  CRESCENT: 'CRES CR CRESC CRS',
  BOULEVARD: 'BLVD BVD',
  SQUARE: 'SQ SQR',
  TERRACE: 'TER TERR TCE TRCE',
  GARDENS: 'GDNS GDN GRDNS GARDNS',
  GROVE: 'GR GRV GRO GROV',
  GREEN: 'GRN',
  PLACE: 'PL PLC',
  PARK: 'PK',
  PARADE: 'PDE',
  MEWS: 'MWS MS',
  WALK: 'WLK WK',
  WAY: 'WY',
  YARD: 'YD',
  VIEW: 'VW',
  HEIGHTS: 'HTS HGTS',
  COURT: 'CT CRT',
  HOUSE: 'HSE HO',
  MANSIONS: 'MANS MNS',
  BUILDING: 'BLDG BLD BDG',
  BUILDINGS: 'BLDGS BLDS BDGS',
  COTTAGE: 'COTT CTG COT',
  COTTAGES: 'COTTS CTGS COTS',
  FARM: 'FM',
  MANOR: 'MNR',
  MOUNT: 'MT',
  ESTATE: 'EST',
  STATION: 'STN',
  PROMENADE: 'PROM',
  BROADWAY: 'BDWY BWAY',
  UPPER: 'UPR UPPR',
  LOWER: 'LWR LR',
  GREAT: 'GT GRT',
  LITTLE: 'LTL LT',
  NORTH: 'NTH NO',
  SOUTH: 'STH',
  FLAT: 'FLT FLAT FT FALT FLTA',
  FLATS: 'FLTS',
  APARTMENT:
    'APT APPT APMT APART APARTMENT APPARTMENT APARTEMENT APPARTEMENT APARMENT APATMENT APARTMNT APARTMET APARTMANT',
  APARTMENTS: 'APTS',
  MAISONETTE: 'MAIS MAISONNETTE MAISONETT MAISON MSNT',
  ANNEXE: 'ANNEX ANX',
  PENTHOUSE: 'PH PENT',
  ROOM: 'RM',
  SUITE: 'STE',
  FLOOR: 'FLR FLOR',
  BASEMENT: 'BST BSMT BASMT BMT BSEMENT',
  GROUND: 'GND GRD GRND GRNDFLR',
  FIRST: '1ST',
  SECOND: '2ND',
  THIRD: '3RD',
  FOURTH: '4TH',
  FIFTH: '5TH',
  SIXTH: '6TH',
  SEVENTH: '7TH',
  EIGHTH: '8TH',
  NINTH: '9TH',
  TENTH: '10TH',
  ABOVE: 'OVER',
  LIMITED: 'LTD',
};

const canonicalOf = new Map(
  Object.entries(spellings).flatMap(([word, short]) => short.split(' ').map((form) => [form, word] as const)),
);
// "No" is the number sign where a number follows, and a word of names elsewhere; never North.
canonicalOf.delete('NO');

/** The one spelling under which a word is compared. `ST` stays, as it is both Street and Saint. */
export const canonicalWord = (word: string): string => canonicalOf.get(word) ?? word;

/** Whole phrases in one word, as agents and councils shorten them. */
export const floorShorthand: ReadonlyMap<string, readonly string[]> = new Map([
  ['GFF', ['GROUND', 'FLOOR', 'FLAT']],
  ['FFF', ['FIRST', 'FLOOR', 'FLAT']],
  ['SFF', ['SECOND', 'FLOOR', 'FLAT']],
  ['TFF', ['TOP', 'FLOOR', 'FLAT']],
  ['BFF', ['BASEMENT', 'FLOOR', 'FLAT']],
  ['LGFF', ['LOWER', 'GROUND', 'FLOOR', 'FLAT']],
  ['LGF', ['LOWER', 'GROUND', 'FLOOR']],
  ['UGF', ['UPPER', 'GROUND', 'FLOOR']],
]);

const directions = words('NORTH SOUTH EAST WEST');
const onlyStreets = words(
  'ROAD STREET LANE AVENUE DRIVE CLOSE WAY CRESCENT BOULEVARD HIGHWAY CIRCUS ALLEY PASSAGE BROADWAY CAUSEWAY BYPASS',
);
const streetsOrBlocks = words(
  'SQUARE TERRACE GARDENS GARDEN GROVE GREEN PLACE PARK PARADE MEWS WALK YARD VIEW HILL RISE ROW PATH PROMENADE ESPLANADE APPROACH CHASE EMBANKMENT CROFT COMMON VALE MEAD MEADOW MEADOWS FIELD FIELDS DENE DELL END GATE WHARF QUAY BANK BRIDGE SIDE CORNER COPSE WOOD WOODS ORCHARD CLOISTERS WALKS RIDE DALE GLADE GLEN LEA LEYS TURN NOOK HEATH FOLD MARKET ARCADE CENTRE ESTATE EXTENSION LINK SPUR MALL PRECINCT STEPS QUARTER VILLAGE',
);
const welshStreets = words('HEOL FFORDD STRYD LON RHODFA CLOS RHES TEYRAS MAES CWRT LLYS');
const houses = words(
  'HOUSE COTTAGE COTTAGES FARM FARMHOUSE BUNGALOW BUNGALOWS BARN BARNS LODGE HALL MANOR MILL STABLES STABLE COURT VILLA VILLAS RECTORY VICARAGE PARSONAGE MANSE GRANGE WORKS MANSIONS MANSION APARTMENTS FLATS STUDIOS TOWER TOWERS HEIGHTS POINT BUILDING BUILDINGS CHAMBERS ANNEXE GATEHOUSE CABIN CHALET CARAVAN GRANARY DAIRY FORGE SCHOOLHOUSE WAREHOUSE CHAPEL CHURCH BOTHY OUTHOUSE SHOP INN ARMS PUB HOTEL WING BLOCK HOMESTEAD STEADING OAST WINDMILL MAISONETTES ALMSHOUSES HOMES DWELLINGS CASTLE ABBEY PRIORY CONVENT COLLEGE HOUSES',
);

export const isDirection = (word: string): boolean => directions.has(word);
const houseEnds = words(
  'HOUSE COURT MANSIONS APARTMENTS FLATS TOWER LODGE COTTAGE COTTAGES FARM FARMHOUSE INN BUILDING BUILDINGS CHAMBERS POINT HEIGHTS BUNGALOW RECTORY VICARAGE VILLAS HOTEL BARN',
);
/** With such a word, after another, the name of a house is at its end. */
export const isHouseEnd = (word: string): boolean => houseEnds.has(word);

const streetEnds = words('TERRACE GARDENS GROVE PLACE SQUARE PARADE MEWS WALK RISE ROW ESPLANADE PROMENADE');
/** With such a word the name of a street is at its end, but for another such word. `ST` may be a saint. */
export const isStreetEnd = (word: string): boolean => onlyStreets.has(word) || streetEnds.has(word);
const isOnlyStreet = (word: string): boolean => onlyStreets.has(word) || word === 'ST';
export const isStreetWord = (word: string): boolean => isOnlyStreet(word) || streetsOrBlocks.has(word);
/** A word that may follow a name and makes it another name: Park Crescent, Park Crescent Mews. */
export const isTypeWord = (word: string): boolean =>
  isStreetWord(word) || houses.has(word) || directions.has(word) || unitWordKind(word) === 'plural';

/** `name` ends like a street ("High Street North"), or begins like a Welsh one. */
export function isStreetName(name: readonly string[]): boolean {
  const last = name.findLast((word) => !directions.has(word));
  if (last === undefined) return false;
  return (name.length > 1 && isStreetWord(last)) || (name.length > 1 && welshStreets.has(name[0] ?? ''));
}

/** What the number of a line stands before is a street. Without commas, "4 Fairview Queens Gate" may be 4 Fairview of a building. */
export const isNumberedStreet = (name: readonly string[], commas: 'with' | 'without'): boolean =>
  isStreetName(name) &&
  (commas === 'with' ||
    name.length < 3 ||
    isOnlyStreet(name.findLast((word) => !directions.has(word)) ?? ''));

export const isHouseName = (name: readonly string[]): boolean => houses.has(name.at(-1) ?? '');

/** A name that is left out tells of another home, but for a street before a place and an estate before a street. */
export const mayTell = (left: readonly string[], said: readonly string[]): boolean =>
  left.at(-1) !== 'ESTATE' &&
  (isStreetName(said) || onlyStreets.has(said.at(-1) ?? '') || !isOnlyStreet(left.at(-1) ?? ''));

/** The same, or such a name and more after it that no comma sets apart: "Rose Villa High Street", not "Old Mill Lane". */
export const hasHouseName = (name: readonly string[]): boolean =>
  isHouseName(name) || name.some((word, at) => at > 0 && houses.has(word) && !isTypeWord(name[at + 1] ?? ''));

/**
 * A name that says where in the building: "Back". Where no comma sets it apart from the street before it, "Upper Norton"
 * may be the upper home of Norton.
 */
export const isPosition = (name: readonly string[], comma: 'before' | 'none'): boolean =>
  comma === 'none' ? isLevel(name[0] ?? '') && !isStreetName(name) : name.length > 0 && name.every(isLevel);

const qualifying = words(
  'THE OLD NEW GREAT LITTLE UPPER LOWER HIGH LOW NORTH SOUTH EAST WEST BACK ST SAINT AND OF OFF ON IN BY LE Y YR KING QUEEN LONG SCHOOL CHAPEL SHOW',
);
/** A word that stands before another in a name, and is hardly a name alone: Old Church Street. */
export const qualifiesName = (word: string): boolean => qualifying.has(word);

const singleHouses = words('COTTAGE VILLA BUNGALOW FARMHOUSE VICARAGE RECTORY');
/** One home, so that a number beside its name is the street's. */
export const isSingleHouse = (name: readonly string[]): boolean => singleHouses.has(name.at(-1) ?? '');

const loneHouses = words('HOUSE HALL MANOR GRANGE FARM');
/** Mostly one home, but for blocks of flats that are called House; these have several lines. */
export const isLoneHouse = (name: readonly string[]): boolean =>
  isSingleHouse(name) || loneHouses.has(name.at(-1) ?? '');

/** Houses side by side under one name, so that a flat of that number is none of them. */
const rows = words('COTTAGES VILLAS BUNGALOWS ALMSHOUSES HOUSES BARNS HOMES');
/** "Rectory Cottages": each has its number, and no house alone is called so. */
export const isRowOfHouses = (name: readonly string[]): boolean => rows.has(name.at(-1) ?? '');
const rowStreets = words('TERRACE MEWS ROW GARDENS GROVE WALK YARD');
/** The same, or a street: "1 The Mews, 3 High Street" is no Flat 1. Without commas more may follow: "The Mews Heron Court". */
export function isRow(name: readonly string[]): boolean {
  const last = name.findLast((word) => !directions.has(word)) ?? '';
  return (
    last === '' ||
    name.some((word, at) => at > 0 && (rows.has(word) || rowStreets.has(word))) ||
    (name.length > 1 && isOnlyStreet(last))
  );
}

/** Neither "3 Windmill Terrace" nor "3 Rose Cottages" nor "3 Rhydfach" is a Flat 3; "3 Heron Court" is one. */
export const isBlockName = (name: readonly string[]) =>
  isHouseName(name.slice(0, name.findLastIndex((word) => !directions.has(word)) + 1)) &&
  !isRow(name) &&
  !isSingleHouse(name);

const flats = words(
  'COURT HOUSE MANSIONS APARTMENTS FLATS STUDIOS MAISONETTES TOWER TOWERS HEIGHTS POINT BUILDING BUILDINGS CHAMBERS',
);
/** What blocks are called; a farm or forge that was divided may still be a house with a number of the street. */
export const isFlatsName = (name: readonly string[]): boolean => flats.has(name.at(-1) ?? '');

const beforeAncillary = words(
  'COACH GATE GARDEN MEWS POOL MOBILE GRANNY SUMMER CARRIAGE STABLE EAST WEST NORTH SOUTH FARM GARDENERS CHAUFFEURS TACK',
);
const bareAncillary = words('HOUSE WING HOME BLOCK ROOM MEWS OUTBUILDING WORKSHOP SHED');

/** A second dwelling on a plot, such as The Coach House or West Wing: never the main house. */
export function isAncillary(name: readonly string[]): boolean {
  const rest = name[0] === 'THE' ? name.slice(1) : name;
  const [first = '', second = ''] = rest;
  if (rest.includes('ANNEXE')) return true;
  if (rest.length === 1)
    return houses.has(first) || bareAncillary.has(first) || unitWordKind(first) !== undefined;
  return rest.length === 2 && beforeAncillary.has(first) && (houses.has(second) || bareAncillary.has(second));
}

const counting =
  'ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE THIRTEEN FOURTEEN FIFTEEN SIXTEEN SEVENTEEN EIGHTEEN NINETEEN TWENTY'.split(
    ' ',
  );
// Single letters stay letters: Flat V may well follow Flat U.
const roman = ' II III IV  VI VII VIII IX  XI XII XIII XIV XV XVI XVII XVIII XIX XX'.split(' ');

/** "Four" and "IV" after a word like flat. */
export function countingNumber(word: string): string | undefined {
  if (word === '') return undefined;
  const at = counting.indexOf(word) === -1 ? roman.indexOf(word) : counting.indexOf(word);
  return at === -1 ? undefined : String(at + 1);
}

/** Words that make the run they stand in the name of a firm. */
const firmWords = words(
  'LIMITED PLC LLP INC LETTINGS LETTING RENTALS AGENTS AGENT AGENCY AGENCIES SURVEYORS SOLICITORS MANAGEMENT REALTY REALTORS CONVEYANCING AUCTIONEERS LANDLORDS',
);
/** Words of a firm, unless their run ends like a house or a street: Council House, Property Row. */
const firmlikeWords = words(
  'PROPERTIES PROPERTY ASSOCIATES HOLDINGS INVESTMENTS DEVELOPMENTS ESTATES PARTNERS COUNCIL RELOCATION COMPANY PARTNERSHIP DEVELOPERS VALUERS MORTGAGES BUILDERS ASSOCIATION',
);
/** Names of agents and portals; a house may be named like one ("Foxtons Cottage"). */
const agentNames = words(
  'FOXTONS SAVILLS HAMPTONS DEXTERS CONNELLS PURPLEBRICKS WINKWORTH CHESTERTONS RIGHTMOVE ZOOPLA OPENRENT ONTHEMARKET YOPA HAART COUNTRYWIDE BELVOIR GREENWOODS KINLEIGH HASLAMS HUMBERTS BARNARDS PERSIMMON BELLWAY REDROW BARRATT PEABODY CLARION LEADERS ROMANS ROMANS JLL CBRE',
);
const agentPairs = new Set([
  'KNIGHT FRANK',
  'YOUR MOVE',
  'REEDS RAINS',
  'STRUTT PARKER',
  'MARSH PARSONS',
  'WILLIAM BROWN',
  'BAIRSTOW EVES',
  'CARTER JONAS',
  'FINE COUNTRY',
  'JACKSON STOPS',
  'TAYLOR WIMPEY',
  'BARRATT HOMES',
  'MARTIN CO',
  'ESTATE AGENT',
  'ESTATE AGENTS',
  'HOUSING ASSOCIATION',
  'HOUSING TRUST',
]);

/** The run of words names a firm and no place. */
export function isFirmName(name: readonly string[]): boolean {
  const plain = name.filter((word) => word !== 'AND' && word !== 'THE');
  const isFirm =
    plain.some(
      (word, at) => firmWords.has(word) && !(word === 'LIMITED' && isTypeWord(plain[at + 1] ?? '')),
    ) ||
    (plain.length > 1 && (plain.at(-1) === 'CO' || plain.at(-1) === 'SONS' || plain.at(-1) === 'GROUP')) ||
    plain.some((word, at) => agentPairs.has(`${word} ${plain[at + 1] ?? ''}`));
  if (isFirm) return true;
  if (plain.some((word) => firmlikeWords.has(word))) return !isTypeWord(plain.at(-1) ?? '');
  return plain.some((word) => agentNames.has(word)) && !plain.some(isTypeWord);
}

const titles = words('MR MRS MISS');
/** For whom a letter is, and so no part of the home: "Mrs Plover", "Dexters Ltd". "Property 3" may be one. */
export const isAddressee = (name: readonly string[]): boolean =>
  (name.length > 1 && titles.has(name[0] ?? '')) ||
  ((name.length > 1 || agentNames.has(name[0] ?? '')) && isFirmName(name) && !isTypeWord(name.at(-1) ?? ''));

const nowhere = words(
  'UK GB ENGLAND WALES CYMRU BRITAIN KINGDOM UNITED LONDON GREATER BIRMINGHAM MANCHESTER LEEDS LIVERPOOL SHEFFIELD BRISTOL CARDIFF CAERDYDD SWANSEA NEWCASTLE NOTTINGHAM LEICESTER COVENTRY BRADFORD HULL PLYMOUTH DERBY SOUTHAMPTON PORTSMOUTH BRIGHTON NORWICH SUNDERLAND WOLVERHAMPTON CITY OF',
);

/** Too wide to locate a home by. */
export const isNowhere = (name: readonly string[]): boolean => name.every((word) => nowhere.has(word));
