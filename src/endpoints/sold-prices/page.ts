// Sales as the contract writes them: the address line, and a page of rows. The page is written straight from the columns,
// since writing JSON is most of what a call costs.

import { Memo } from '../../columns/memo.ts';
import { writeWhole } from '../../contract/digits.ts';
import { boolean, integer, list, nullable, object, oneOf, type Shape, string } from '../../contract/shape.ts';
import { defined } from '../../out-of-range.ts';
import { propertyTypes } from '../../tables/sales/kinds.ts';
import type { Place, SalesSegment } from '../../tables/sales/segment.ts';
import { formatDay } from '../../uk/calendar.ts';

const sale = object(
  'SaleRecord',
  {
    address: string({ description: 'Address in one line, with the parts that the register has.' }),
    postcode: string({ description: 'Postcode. Empty if the register has none.' }),
    price: integer({ minimum: 1, description: 'Price in pounds.' }),
    date: string({ format: 'date', description: 'Date of the deed.' }),
    propertyType: oneOf(propertyTypes, {
      description: 'D (detached), S (semi-detached), T (terraced), F (flat or maisonette) or O (other).',
    }),
    newBuild: boolean({ description: 'Whether it was a new build.' }),
    estateType: nullable(
      oneOf(['Freehold', 'Leasehold'], { description: 'Null: the register does not say.' }),
    ),
    street: string({ description: 'Street. Empty if the register has none.' }),
    town: string({ description: 'Town, as the register has it.' }),
    district: string({ description: 'District, as the register has it.' }),
    county: string({ description: 'County, as the register has it.' }),
  },
  { description: 'One sale.' },
);
const sales = list(sale, {
  description: 'The sales of this page, newest first unless `sort` or `order` says otherwise.',
});

type Sale = Parameters<typeof sale.write>[0];

/** Rows of one area in the order of the answer. */
export class SalePage {
  readonly segment: SalesSegment;
  readonly rows: Uint32Array;
  constructor(segment: SalesSegment, rows: Uint32Array) {
    this.segment = segment;
    this.rows = rows;
  }
}

/** Takes sales one by one, or a page of rows, and writes the same for both. */
export const salePage: Shape<readonly Sale[] | SalePage> = {
  ...sales,
  write: (value) => (value instanceof SalePage ? writePage(value) : sales.write(value)),
};

/** "12", "139A", "7 - 8", and what ends with one after a comma: "MAXWELL COURT, 8". */
const endsInNumber = /(^|, )\d+[A-Z]?( ?- ?\d+[A-Z]?)?$/;

type AddressParts = Omit<Place, 'district' | 'county'> & {
  readonly saon: string;
  readonly paon: string;
  readonly postcode: string;
};

/** A number joins its street (`12 HIGH STREET`), a name keeps a comma (`ROSE COTTAGE, HIGH STREET`). */
export function addressLine({ saon, paon, postcode, ...place }: AddressParts): string {
  return joinAddress(saon, paon, joinPlace(place), postcode);
}

/** Street, locality and town in one line, and what separates a house number from it. */
type PlaceLine = { readonly line: string; readonly afterNumber: ' ' | ', ' };

function joinPlace({ street, locality, town }: Pick<Place, 'street' | 'locality' | 'town'>): PlaceLine {
  let line = street;
  if (locality !== '' && locality !== town) line += line === '' ? locality : `, ${locality}`;
  if (town !== '') line += line === '' ? town : `, ${town}`;
  return { line, afterNumber: street === '' ? ', ' : ' ' };
}

function joinAddress(
  saon: string,
  paon: string,
  { line: place, afterNumber }: PlaceLine,
  postcode: string,
): string {
  let line = saon;
  if (paon !== '') line += line === '' ? paon : `, ${paon}`;
  if (place !== '') {
    const glue = endsInNumber.test(paon) ? afterNumber : ', ';
    line += line === '' ? place : glue + place;
  }
  if (postcode !== '') line += line === '' ? postcode : `, ${postcode}`;
  return line;
}

const estateJson = { F: '"Freehold"', L: '"Leasehold"', U: 'null' } as const;

/** What the sales of one place share. */
type WrittenPlace = PlaceLine & { readonly tail: string };

const placesRemembered = 2048;
const rememberedPlaces = new WeakMap<SalesSegment, Memo<WrittenPlace>>();

function writtenPlacesOf(segment: SalesSegment): Memo<WrittenPlace> {
  const known = rememberedPlaces.get(segment);
  if (known !== undefined) return known;
  const made = new Memo(placesRemembered, (place) => writePlace(segment.placeNumbered(place)));
  rememberedPlaces.set(segment, made);
  return made;
}

function writePlace(place: Place): WrittenPlace {
  const { street, town, district, county } = place;
  const tail = `,"street":${JSON.stringify(street)},"town":${JSON.stringify(town)},"district":${JSON.stringify(district)},"county":${JSON.stringify(county)}}`;
  return { ...joinPlace(place), tail };
}

function writePage({ segment, rows }: SalePage): string {
  const places = writtenPlacesOf(segment);
  let json = '[';
  let day = -1;
  let date = '';
  for (let index = 0; index < rows.length; index++) {
    const row = defined(rows[index]);
    const place = places.at(defined(segment.places[row]));
    const postcode = segment.postcode(row);
    const address = joinAddress(segment.saon(row), segment.paon(row), place, postcode);
    if (segment.days[row] !== day) {
      day = defined(segment.days[row]);
      date = formatDay(day);
    }
    json += `${index === 0 ? '' : ','}{"address":${JSON.stringify(address)},"postcode":"${postcode}","price":${writeWhole(segment.price(row))},"date":"${date}","propertyType":"${segment.propertyType(row)}","newBuild":${segment.isNewlyBuilt(row) ? 'true' : 'false'},"estateType":${estateJson[segment.estate(row)]}${place.tail}`;
  }
  return `${json}]`;
}
