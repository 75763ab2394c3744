// Price-paid files of any size, the same for the same seed: areas as unequal as the real ones, streets and
// postcodes that repeat, prices that rise over the years, sales that crowd on Fridays and month ends. Every row
// follows from its number alone, so that a file of changes can speak of rows of an earlier file.

import { closeSync, openSync, writeSync } from 'node:fs';
import { parsePostcode } from '../../src/uk/postcode.ts';

/** Areas of England and Wales; the weights are rough shares of sales in thousandths. */
const areaWeights =
  'B 53,NG 26,BN 24,PE 23,S 27,M 25,LS 20,BS 24,NE 23,CF 21,LE 22,DE 18,GU 18,SE 22,SW 23,E 17,N 15,NW 12,W 11,CR 9,' +
  'BR 8,DA 10,TN 18,ME 15,CT 14,RH 14,KT 13,TW 11,UB 6,HA 8,EN 8,IG 7,RM 12,SS 14,CM 17,CO 11,IP 15,NR 19,CB 12,SG 11,' +
  'AL 7,HP 12,WD 7,LU 8,MK 13,NN 17,CV 19,WS 9,WV 8,DY 10,ST 16,SY 9,TF 6,HR 5,WR 8,GL 16,SN 12,BA 11,TA 10,EX 15,PL 14,' +
  'TQ 9,TR 9,DT 7,BH 17,SP 6,SO 16,PO 21,RG 20,SL 9,OX 15,LN 9,DN 19,HU 12,YO 15,HG 5,BD 13,HX 5,HD 7,WF 13,OL 12,BL 10,' +
  'WN 8,PR 14,FY 10,LA 9,BB 12,CA 7,DL 10,TS 15,SR 7,DH 8,WA 17,CW 8,CH 16,L 21,SK 17,LL 13,SA 16,NP 12,LD 2,EC 1,WC 1';
const streetWords =
  'HIGH,CHURCH,STATION,VICTORIA,PARK,MILL,QUEENS,KINGS,LONDON,GREEN,MANOR,SCHOOL,NORTH,SOUTH,WEST,EAST,ALBERT,YORK,GROVE,THE,CHESTER,WINDSOR,OAK,ELM,ASH,BEECH,CEDAR,WILLOW,MAPLE,ROSE,HOLLY,BROOK,RIVER,BRIDGE,FIELD,WOOD,HILL,VALE,SPRING,ORCHARD,ABBEY,CASTLE,CHAPEL,PRIORY,RECTORY,VICARAGE,GEORGE,HENRY,JOHN,MARY'.split(
    ',',
  );
const endings = [
  'ROAD',
  'ROAD',
  'ROAD',
  'STREET',
  'STREET',
  'AVENUE',
  'CLOSE',
  'CLOSE',
  'DRIVE',
  'LANE',
  'GARDENS',
  'WAY',
  'COURT',
  'CRESCENT',
  'PLACE',
];
const houseNames =
  'ROSE COTTAGE,THE COTTAGE,ORCHARD HOUSE,THE BUNGALOW,HILLCREST,WOODLANDS,IVY COTTAGE,THE OLD SCHOOL HOUSE,FAIRVIEW,LABURNUM COTTAGE'.split(
    ',',
  );
const letters = 'ABDEFGHJLNPQRSTUWXYZ';
const firstDay = Date.UTC(1995, 0, 1) / 86_400_000;
export const lastDay = Date.UTC(2026, 8, 30) / 86_400_000;

/** A small generator of numbers from a state that each row sets anew. */
let state = 1;
function next(): number {
  state = (state + 0x9e3779b9) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
const share = () => next() / 2 ** 32;
const below = (limit: number) => Math.floor(share() * limit);

type Street = {
  readonly text: string;
  readonly postcodes: readonly string[];
  readonly flats: number;
  readonly houses: number;
};
type Area = { readonly streets: readonly Street[]; readonly priceLevel: number };

export type World = {
  readonly areas: readonly Area[];
  readonly pickArea: Uint16Array;
  readonly pickDay: Uint16Array;
  readonly dates: readonly string[];
  readonly seed: number;
};

/** Streets grow in number with the rows, as they do in the country: about one postcode to twenty sales. `only` leaves
 *  the other areas out, so that few rows make an area as large as a real one. */
export function createWorld(rows: number, seed: number, only?: readonly string[]): World {
  state = seed >>> 0;
  const weights = areaWeights
    .split(',')
    .map((entry) => {
      const [name = '', weight = '1'] = entry.split(' ');
      return { name, weight: Number(weight) };
    })
    .filter(({ name }) => only?.includes(name) ?? true);
  const total = weights.reduce((sum, { weight }) => sum + weight, 0);
  const areas = weights.map(({ name, weight }) => createArea(name, Math.ceil((rows * weight) / total / 22)));
  const pickArea = spread(weights.map(({ weight }) => weight));
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, index) => {
    const date = new Date((firstDay + index) * 86_400_000);
    const weekday = date.getUTCDay();
    const isMonthEnd = date.getUTCDate() >= 26;
    const crisis = date.getUTCFullYear() >= 2008 && date.getUTCFullYear() <= 2012 ? 0.6 : 1;
    return (weekday === 5 ? 5 : weekday === 0 || weekday === 6 ? 0.1 : 2) * (isMonthEnd ? 1.7 : 1) * crisis;
  });
  const dates = days.map((_, index) => new Date((firstDay + index) * 86_400_000).toISOString().slice(0, 10));
  return { areas, pickArea, pickDay: spread(days), dates, seed };
}

/** 65,536 places, filled in proportion to the weights. */
function spread(weights: readonly number[]): Uint16Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const places = new Uint16Array(65_536);
  let sum = 0;
  let at = 0;
  for (const [index, weight] of weights.entries()) {
    sum += weight;
    const end = Math.round((sum / total) * places.length);
    while (at < end) places[at++] = index;
  }
  return places;
}

function createArea(name: string, postcodeCount: number): Area {
  const outcodes = Array.from(
    { length: Math.max(1, Math.min(30, Math.ceil(postcodeCount / 1400))) },
    (_, index) => `${name}${index + 1}`,
  ).filter((outcode) => parsePostcode(`${outcode} 1AA`) !== undefined);
  const towns = Array.from({ length: Math.max(1, Math.ceil(outcodes.length / 3)) }, (_, index) => ({
    town: `${name} TOWN ${index + 1}`,
    district: `DISTRICT OF ${name} ${1 + (index % 4)}`,
    county: index % 5 === 0 ? `DISTRICT OF ${name} ${1 + (index % 4)}` : `${name}SHIRE`,
  }));
  const postcodes: string[] = [];
  for (let index = 0; index < postcodeCount; index++) {
    const outcode = outcodes[index % outcodes.length] ?? '';
    const unit = Math.floor(index / outcodes.length) % 4000;
    postcodes.push(
      `${outcode} ${Math.floor(unit / 400)}${letters[Math.floor(unit / 20) % 20]}${letters[unit % 20]}`,
    );
  }
  const streets: Street[] = [];
  for (let at = 0; at < postcodes.length; ) {
    const count = 1 + below(3);
    const own = postcodes.slice(at, at + count);
    at += count;
    const place = towns[below(towns.length)] ?? { town: '', district: '', county: '' };
    const words = below(10) === 0 ? 2 : 1;
    let street = '';
    for (let word = 0; word < words; word++) street += `${streetWords[below(streetWords.length)]} `;
    street += endings[below(endings.length)];
    if (below(60) === 0) street = '';
    const locality = below(4) === 0 ? `${streetWords[below(streetWords.length)]}TON` : '';
    streets.push({
      text: `"${street}","${locality}","${place.town}","${place.district}","${place.county}"`,
      postcodes: own,
      flats: below(5) === 0 ? 0.7 : 0.06,
      houses: 20 + below(180),
    });
  }
  return { streets, priceLevel: 0.6 + share() * (/^(SW|W|EC|WC|NW|N|SE|E|KT|TW)$/.test(name) ? 2.5 : 0.8) };
}

const hex = Array.from({ length: 65_536 }, (_, value) => value.toString(16).toUpperCase().padStart(4, '0'));
const hex4 = (value: number) => hex[value & 0xffff] ?? '';

export type Status = 'A' | 'C' | 'D';

/** Row `index` as a line of the bulk layout; `edition` above 0 is the same sale with other facts. */
export function line(world: World, index: number, status: Status = 'A', edition = 0): string {
  const { areas, pickArea, pickDay, dates, seed } = world;
  state = (Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca6b)) >>> 0;
  const [a, b, c, d] = [next(), next(), next(), next()];
  const id = `${hex4(index >>> 16)}${hex4(index)}-${hex4(a)}-${hex4(a >>> 16)}-${hex4(b)}-${hex4(b >>> 16)}${hex4(c)}${hex4(c >>> 16)}`;
  if (edition > 0) state = (state + edition) >>> 0;
  const area = areas[pickArea[d & 0xffff] ?? 0];
  if (area === undefined) throw new RangeError('no area');
  // Some streets sell far more than others.
  const pick = share();
  const street = area.streets[Math.floor(pick * (0.4 + 0.6 * pick) * area.streets.length)];
  if (street === undefined) throw new RangeError('no street');
  const day = pickDay[next() & 0xffff] ?? 0;
  const isFlat = share() < street.flats;
  const roll = share();
  const type = isFlat ? 'F' : roll < 0.26 ? 'D' : roll < 0.56 ? 'S' : roll < 0.95 ? 'T' : 'O';
  const isB = type === 'O' || share() < 0.03;
  const isNew = type !== 'O' && share() < 0.1;
  const isLeasehold = isFlat || share() < 0.08;
  const level = { D: 1.7, S: 1.05, T: 0.85, F: 0.75, O: 1.4 }[type];
  const bell = share() + share() + share() - 1.5;
  const exact = 62_000 * area.priceLevel * level * 1.057 ** (day / 365.25) * Math.exp(bell * 0.9);
  const steps = [5000, 5000, 1000, 1000, 500, 500, 250, 50, 50, 1];
  const step = steps[below(steps.length)] ?? 1;
  const price = Math.max(1, Math.round(exact / step)) * step;
  const postcode = below(1200) === 0 ? '' : street.postcodes[below(street.postcodes.length)];
  const house = 1 + below(street.houses);
  const form = below(20);
  const paon =
    form === 0
      ? `${houseNames[below(houseNames.length)]}${below(2) === 0 ? '' : ` ${below(400)}`}`
      : form === 1
        ? `${house}A`
        : String(house);
  const saon = isFlat ? `${below(3) === 0 ? 'APARTMENT' : 'FLAT'} ${1 + below(40)}` : '';
  return `"{${id}}","${price}","${dates[day]} 00:00","${postcode}","${type}","${isNew ? 'Y' : 'N'}","${isLeasehold ? 'L' : 'F'}","${paon}","${saon}",${street.text},"${isB ? 'B' : 'A'}","${status}"\n`;
}

/** Writes lines to a file in large pieces. */
export function writeLines(file: string, lines: Iterable<string>): void {
  const descriptor = openSync(file, 'w');
  let text = '';
  const flush = () => {
    const bytes = Buffer.from(text, 'latin1');
    let done = 0;
    while (done < bytes.length) done += writeSync(descriptor, bytes, done);
    text = '';
  };
  for (const item of lines) {
    text += item;
    if (text.length > 1 << 20) flush();
  }
  flush();
  closeSync(descriptor);
}

export function* allLines(world: World, rows: number): Generator<string> {
  for (let index = 0; index < rows; index++) yield line(world, index);
}

/** As a monthly file is: mostly new sales, some corrections and deletions of earlier ones. */
export function* changeLines(world: World, rows: number, changes: number): Generator<string> {
  for (let index = 0; index < changes; index++) {
    const kind = index % 100;
    state = (Math.imul(index + 7, 0x85ebca6b) ^ world.seed) >>> 0;
    const old = below(rows);
    if (kind < 93) yield line(world, rows + index);
    else if (kind < 98) yield line(world, old, 'C', 1 + index);
    else yield line(world, old, 'D');
  }
}

if (import.meta.main) {
  const [file = 'pp.csv', rows = '1000000', seed = '1'] = process.argv.slice(2);
  const world = createWorld(Number(rows), Number(seed));
  writeLines(file, allLines(world, Number(rows)));
}
