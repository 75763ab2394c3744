// The areas that a postcode lies in, each with its code and name, and why one of them is not known: what the loaded
// directory gives no postcode, what it does not give this one, and whose names are not loaded.

import type { Context } from '../../contract/endpoint.ts';
import type { Holding } from '../../contract/needs.ts';
import { nullable, object, type Static, string } from '../../contract/shape.ts';
import { openAuthorities } from '../../tables/council-tax/authorities.ts';
import { forceOf } from '../../tables/crime/police-forces.ts';
import { findPlaceNames } from '../../tables/postcodes/place-names.ts';
import { findHeldCodes, type PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import { nationCodes, postcodesTable } from '../../tables/postcodes/postcodes-table.ts';
import { scottishForce } from '../../uk/police.ts';
import { findForceAreaOfCounty, findForceAreaOfDistrict } from '../../uk/police-districts.ts';

const area = object(
  'PostcodeArea',
  {
    code: nullable(string({ description: 'Official (ONS) code of the area. Null: only the name is known.' })),
    name: nullable(string({ description: 'Name of the area. Null: names of such areas are not loaded.' })),
  },
  { description: 'An area around a postcode.' },
);

type Area = Static<typeof area>;

const areaOf = (description: string) => {
  const shape = nullable(area);
  return { ...shape, schema: { ...shape.schema, description } };
};

export const areaShapes = {
  nation: areaOf('England, Wales, Scotland, Northern Ireland, Channel Islands or Isle of Man.'),
  region: areaOf('Region of England. Null elsewhere.'),
  county: areaOf('County with a county council. Null: there is none.'),
  authority: areaOf(
    'District, borough or unitary authority, with its current code and the name that its council uses.',
  ),
  ward: areaOf('Electoral ward or division.'),
  lsoa: areaOf('Lower layer super output area, or data zone in Scotland and Northern Ireland.'),
  msoa: areaOf('Middle layer super output area, or intermediate zone in Scotland.'),
  policeForce: areaOf('Police force area, with the name of the force as in /crime/by-postcode.'),
};

type Areas = { readonly [Member in keyof typeof areaShapes]: Area | null };

type Release = Context['release'];

/** Members whose code a directory gives or does not give. */
const coded = {
  region: 'regionCode',
  county: 'countyCode',
  authority: 'authorityCode',
  ward: 'wardCode',
  lsoa: 'lsoaCode',
  msoa: 'msoaCode',
  policeForce: 'policeForceCode',
} as const satisfies Partial<Record<keyof Areas, keyof PostcodeRow>>;

type Coded = keyof typeof coded;

const codedMembers: readonly Coded[] = [
  'region',
  'county',
  'authority',
  'ward',
  'lsoa',
  'msoa',
  'policeForce',
];

export function areasOf(release: Release, row: PostcodeRow): Areas {
  const names = findPlaceNames(release);
  const named = (code: string | null): Area | null =>
    code === null ? null : { code, name: names?.find(code) ?? null };
  const { nation } = row;
  return {
    nation: nation === null ? null : { code: nationCodes[nation], name: nation },
    region: named(row.regionCode),
    county: named(row.countyCode),
    authority: authorityArea(release, row),
    ward: named(row.wardCode),
    lsoa: named(row.lsoaCode),
    msoa: named(row.msoaCode),
    policeForce: policeForceArea(release, row),
  };
}

/** Every answer calls an authority as its council does. */
export function authorityArea(
  release: Release,
  { authorityCode: code }: Pick<PostcodeRow, 'authorityCode'>,
): Area | null {
  if (code === null) return null;
  const councils = release.findDataset('authorities') === undefined ? undefined : openAuthorities(release);
  return { code, name: councils?.find(code)?.fullName ?? findPlaceNames(release)?.find(code) ?? null };
}

export const wardArea = (release: Release, { wardCode: code }: Pick<PostcodeRow, 'wardCode'>): Area | null =>
  code === null ? null : { code, name: findPlaceNames(release)?.find(code) ?? null };

/** Without a code in the directory, the district tells it, then the county: force areas are made of them. */
function policeForceArea(release: Release, row: PostcodeRow): Area | null {
  const { authorityCode, countyCode, nation } = row;
  const code =
    row.policeForceCode ??
    (authorityCode === null ? undefined : findForceAreaOfDistrict(authorityCode)) ??
    (countyCode === null ? undefined : findForceAreaOfCounty(countyCode)) ??
    null;
  const name = nation === 'Scotland' ? scottishForce : (forceOf(row, findPlaceNames(release)) ?? null);
  return code === null && name === null ? null : { code, name };
}

const ofTheKingdom = new Set<string | null>(['England', 'Wales', 'Scotland', 'Northern Ireland']);

/** Whether every postcode of the nation lies in one. Many have no county. */
const isEverywhere = (member: Coded, nation: string | null): boolean =>
  member === 'region' ? nation === 'England' : member !== 'county' && ofTheKingdom.has(nation);

/** Why areas, or names of them, are null although there must be some; each a part of a sentence. */
export function whyUnknown(release: Release, { nation }: PostcodeRow, areas: Areas): readonly string[] {
  const held = findHeldCodes(release);
  const isHeld = (member: Coded) => held.has(coded[member]);
  const source = release.findDataset('postcodes')?.source;
  const lacking = codedMembers.filter((member) => areas[member] === null);
  // In a whole directory that has no counties there are none; the sample leaves them out.
  const isLeftOut = release.findDataset('postcodes')?.extent === 'sample' && nation === 'England';
  const notHeld = lacking.filter(
    (member) => !isHeld(member) && (isEverywhere(member, nation) || (member === 'county' && isLeftOut)),
  );
  const notGiven = lacking.filter((member) => isHeld(member) && isEverywhere(member, nation));
  const nameless = codedMembers.filter((member) => areas[member]?.name === null);
  return [
    ...(nation === null ? [`nation is null as ${source} gives none for this postcode`] : []),
    ...(notHeld.length === 0 ? [] : [`${areNull(notHeld)} as ${source} has no such areas`]),
    ...(notGiven.length === 0 ? [] : [`${areNull(notGiven)} as ${source} gives none for this postcode`]),
    ...(nameless.length === 0
      ? []
      : [`${areNull(nameless.map((member) => `${member}.name`))} as such names are not loaded`]),
  ];
}

const areNull = (members: readonly string[]) =>
  `${members.join(', ')} ${members.length === 1 ? 'is' : 'are'} null`;

// Statistical areas (LSOA, data zones) of postcodes: the directories of ONS have them, Code-Point Open does not, and
// whatever is counted by area needs them.
export const statisticalAreas: Holding = {
  what: 'statistical areas (LSOA)',
  publication: 'ONS Postcode Directory (ONSPD)',
  // 0 is none.
  isIn: (release) => postcodesTable.open(release)['place-lsoa'].some((code) => code > 0),
};
