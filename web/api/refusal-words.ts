// What a reader is told where the API refuses a page. The service's own words are for whoever writes a program: parameters, headers,
// paths. Its code and the request go with the refusal, for support.

import { monthText, withDates } from '../formats.ts';

type Said = {
  readonly code: string;
  readonly message: string;
  /** The month in which a postcode was withdrawn. */
  readonly terminated?: string;
  /** The dataset that is not loaded. */
  readonly dataset?: string;
  /** The parameter that is to blame. */
  readonly field?: string;
  /** Of several that a code can have. */
  readonly reason?: string;
  readonly policeForce?: string;
};

export function wordsFor(said: Said): string {
  const { code, message, terminated, dataset, field } = said;
  if (dataset !== undefined) return `The dataset “${dataset}” is not loaded on this service.`;
  if (terminated !== undefined)
    return `Royal Mail withdrew this postcode in ${monthText(terminated)}. Choose one that is in use.`;
  if (isOfFilter(code)) return (field === undefined ? undefined : ofField[field]) ?? ofFilter;
  if (code === 'NO_CRIME_DATA') return withoutCrime(said);
  return ofCode[code] ?? (forPrograms.test(message) ? unavailable : withDates(message));
}

/** A value that a reader chose, or that stands in the address. */
export const isOfFilter = (code: string): boolean =>
  code === 'INVALID_PARAMETER' || code === 'INVALID_PROPERTY_TYPE' || code === 'INVALID_MONTHS';

const ofFilter = 'One of the filters has a value that we cannot use.';

const ofField: Readonly<Record<string, string>> = {
  minPrice: 'The lowest price must be a whole number of pounds, such as 250000.',
  maxPrice: 'The highest price must be a whole number of pounds, such as 250000.',
  months: 'The period must be one of those in the list.',
  type: 'The kind of property must be one of those above.',
  street: 'We cannot search for a street of that name.',
  newBuild: 'The age must be one of those in the list.',
  category: 'The kind of sale must be one of those in the list.',
  sort: 'The order must be one of those in the list.',
  order: 'The order must be one of those in the list.',
  offset: 'The list of sales has no such page.',
};

const elsewhere = 'Places in England and Wales have these figures.';

function withoutCrime({ reason = '', policeForce = 'The police force' }: Said): string {
  switch (reason) {
    case 'scotland':
      return `Police Scotland does not publish where crimes happened. ${elsewhere}`;
    case 'channel-islands':
      return `Nobody publishes where crimes happened in the Channel Islands. ${elsewhere}`;
    case 'isle-of-man':
      return `Nobody publishes where crimes happened on the Isle of Man. ${elsewhere}`;
    case 'no-grid-reference':
      return 'Nobody publishes where this postcode lies, so we cannot find crimes near it. Choose one nearby.';
    case 'force-unknown':
      return 'We do not know which police force is responsible here. Choose a postcode nearby.';
    case 'not-in-sample':
      return 'This service has only a sample of crimes, without this place. Whoever runs it can load the country.';
    case 'force-stopped':
      return `${policeForce} no longer publishes where crimes happened.`;
    case 'force-not-loaded':
      return `The newest crimes of ${policeForce} are not loaded on this service. Whoever runs it can load them.`;
    case 'force-without-data':
      return `Of ${policeForce}, too few crimes of these months are published, or they are not loaded.`;
    default:
      return 'No crimes are published for this place.';
  }
}

const notAllowed = 'This page may not show it. Load the page again; if you are signed in, sign in again.';
const unavailable = 'This cannot be shown just now. Try again in a moment.';

const ofCode: Readonly<Record<string, string>> = {
  UNAUTHORIZED: notAllowed,
  AUTHENTICATION_REQUIRED: notAllowed,
  KEY_NOT_ALLOWED: notAllowed,
  INSUFFICIENT_CREDITS: 'The account that pays for this page has too few credits left.',
  RATE_LIMITED: 'Too many requests just now. Wait a minute, then try again.',
  PROPERTY_LEVEL_COUNTRY_UNSUPPORTED: 'Bands of single homes are known for England and Wales only.',
  DATABASE_ERROR: 'The data cannot be read just now. Try again in a moment.',
  POLICE_API_ERROR: 'The police data service did not answer. Try again later.',
};

const forPrograms = /`|Retry-After|X-API-Key|\bsend the call\b|\brequest id\b/;
