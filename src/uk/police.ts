// Words of the police's open data: categories and their slugs, labels of outcomes, forces and their areas.

/** Slug of the police API and name in the files. */
type CrimeCategory = { readonly slug: string; readonly name: string };

export const crimeCategories: readonly CrimeCategory[] = [
  { slug: 'anti-social-behaviour', name: 'Anti-social behaviour' },
  { slug: 'bicycle-theft', name: 'Bicycle theft' },
  { slug: 'burglary', name: 'Burglary' },
  { slug: 'criminal-damage-arson', name: 'Criminal damage and arson' },
  { slug: 'drugs', name: 'Drugs' },
  { slug: 'other-theft', name: 'Other theft' },
  { slug: 'possession-of-weapons', name: 'Possession of weapons' },
  { slug: 'public-order', name: 'Public order' },
  { slug: 'robbery', name: 'Robbery' },
  { slug: 'shoplifting', name: 'Shoplifting' },
  { slug: 'theft-from-the-person', name: 'Theft from the person' },
  { slug: 'vehicle-crime', name: 'Vehicle crime' },
  { slug: 'violent-crime', name: 'Violence and sexual offences' },
  { slug: 'other-crime', name: 'Other crime' },
];

/** `Criminal damage and arson` → `criminal-damage-and-arson`. */
const hyphenated = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '');

const bySlug = new Map(
  crimeCategories.flatMap(({ slug, name }) => [
    [slug, slug],
    [hyphenated(name), slug],
  ]),
);
const nameBySlug = new Map(crimeCategories.map(({ slug, name }) => [slug, name]));
const slugByName = new Map(crimeCategories.map(({ slug, name }) => [name, slug]));

/** The slug that is served, for any way a caller may write it: `violence-and-sexual-offences` is `violent-crime`. */
export const findCategorySlug = (text: string): string | undefined => bySlug.get(text.trim().toLowerCase());

/** Categories of earlier years ("Public disorder and weapons") have a slug made of their name. */
export const slugOfCategory = (name: string): string => slugByName.get(name) ?? hyphenated(name);
export const nameOfCategory = (slug: string): string => nameBySlug.get(slug) ?? slug;

/** The five that an area's crime is broken down into. */
export const crimeGroups = ['violent', 'burglary', 'vehicleCrime', 'antisocial', 'other'] as const;
export type CrimeGroup = (typeof crimeGroups)[number];

const groupBySlug = new Map<string, CrimeGroup>([
  ['violent-crime', 'violent'],
  ['robbery', 'violent'],
  ['burglary', 'burglary'],
  ['vehicle-crime', 'vehicleCrime'],
  ['anti-social-behaviour', 'antisocial'],
]);
export const crimeGroupOf = (slug: string): CrimeGroup => groupBySlug.get(slug) ?? 'other';

/** An outcome whose month is that of the crime, in the police's own service too. */
export const underInvestigation = 'Under investigation';

/** Polices railways, not a place; its rows lie in every area. */
export const transportPolice = 'British Transport Police';

/** Its area lies all around the City of London's. */
export const metropolitanPolice = 'Metropolitan Police Service';

/** Has published no street-level crime since July 2019; a few rows of other forces lie in its area. */
export const silentForce = 'Greater Manchester Police';
export const northernIrelandForce = 'Police Service of Northern Ireland';
/** Publishes no street-level crime. */
export const scottishForce = 'Police Scotland';

/** Forces that are known to publish no street-level crime any more → the last month they did. Whoever is not in it may have
 *  published what is not loaded. */
export const lastMonthOfForce: ReadonlyMap<string, string> = new Map([
  [silentForce, '2019-06'],
  [northernIrelandForce, '2023-07'],
]);

/** Police force area → the force, as the files name it in "Reported by". */
const forceByArea = new Map([
  ['E23000001', metropolitanPolice],
  ['E23000002', 'Cumbria Constabulary'],
  ['E23000003', 'Lancashire Constabulary'],
  ['E23000004', 'Merseyside Police'],
  ['E23000005', 'Greater Manchester Police'],
  ['E23000006', 'Cheshire Constabulary'],
  ['E23000007', 'Northumbria Police'],
  ['E23000008', 'Durham Constabulary'],
  ['E23000009', 'North Yorkshire Police'],
  ['E23000010', 'West Yorkshire Police'],
  ['E23000011', 'South Yorkshire Police'],
  ['E23000012', 'Humberside Police'],
  ['E23000013', 'Cleveland Police'],
  ['E23000014', 'West Midlands Police'],
  ['E23000015', 'Staffordshire Police'],
  ['E23000016', 'West Mercia Police'],
  ['E23000017', 'Warwickshire Police'],
  ['E23000018', 'Derbyshire Constabulary'],
  ['E23000019', 'Nottinghamshire Police'],
  ['E23000020', 'Lincolnshire Police'],
  ['E23000021', 'Leicestershire Police'],
  ['E23000022', 'Northamptonshire Police'],
  ['E23000023', 'Cambridgeshire Constabulary'],
  ['E23000024', 'Norfolk Constabulary'],
  ['E23000025', 'Suffolk Constabulary'],
  ['E23000026', 'Bedfordshire Police'],
  ['E23000027', 'Hertfordshire Constabulary'],
  ['E23000028', 'Essex Police'],
  ['E23000029', 'Thames Valley Police'],
  ['E23000030', 'Hampshire Constabulary'],
  ['E23000031', 'Surrey Police'],
  ['E23000032', 'Kent Police'],
  ['E23000033', 'Sussex Police'],
  ['E23000034', 'City of London Police'],
  ['E23000035', 'Devon & Cornwall Police'],
  ['E23000036', 'Avon and Somerset Constabulary'],
  ['E23000037', 'Gloucestershire Constabulary'],
  ['E23000038', 'Wiltshire Police'],
  ['E23000039', 'Dorset Police'],
  ['W15000001', 'North Wales Police'],
  ['W15000002', 'Gwent Police'],
  ['W15000003', 'South Wales Police'],
  ['W15000004', 'Dyfed-Powys Police'],
]);

/** Of England and Wales, each with an area of its own. */
export const territorialForces: readonly string[] = [...forceByArea.values()];

export const findForceOfArea = (areaCode: string): string | undefined => forceByArea.get(areaCode);
