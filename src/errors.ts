// Every code a reply can carry, with its status and a default sentence. The only list: types, OpenAPI,
// docs/errors.md and the sandbox all read it.

type ErrorEntry = {
  readonly status: number;
  /** One plain sentence that says what to do; an endpoint may send a more exact one. */
  readonly message: string;
  /** What to do in every case, where `message` speaks of one; for the documentation. */
  readonly advice?: string;
  /** When a caller meets it; for the documentation. */
  readonly when: string;
  /** Extra members of the error object beside `code` and `message`, as the sandbox shows them. */
  readonly extras?: Readonly<Record<string, unknown>>;
};

const table = {
  // 400: what was asked
  MISSING_POSTCODE: {
    status: 400,
    message: 'Send the `postcode` parameter, for example postcode=SW1A 1AA.',
    when: '`postcode` is absent or empty.',
  },
  MISSING_ADDRESS: {
    status: 400,
    message: 'Send the `address` parameter with flat or number, and street.',
    when: '`address` is absent or empty.',
  },
  MISSING_AUTHORITY_CODE: {
    status: 400,
    message: 'Send the `authorityCode` parameter, for example authorityCode=E09000033.',
    when: '`authorityCode` is absent or empty.',
  },
  MISSING_AREA_OR_POSTCODE: {
    status: 400,
    message:
      'Send one of `area` (for example SW), `postcode` (SW1A 1AA), `outcode` (SW1A) and `sector` (SW1A 1).',
    when: 'None of `area`, `postcode`, `outcode` and `sector` was sent.',
  },
  INVALID_POSTCODE: {
    status: 400,
    message: 'Send a full UK postcode, for example SW1A 1AA.',
    when: 'The postcode does not have the form of a UK postcode.',
  },
  INVALID_AREA: {
    status: 400,
    message:
      'Send `area` as one or two letters, for example SW, or `postcode` in full, for example SW1A 1AA.',
    when: 'The postcode area, or the postcode it is derived from, is malformed. `field` says which.',
  },
  INVALID_PROPERTY_TYPE: {
    status: 400,
    message: 'Send `type` as one of D, S, T, F or O.',
    when: '`type` is not D, S, T, F or O.',
  },
  INVALID_MONTHS: {
    status: 400,
    message: 'Send `months` as a whole number from 1 to 24.',
    when: '`months` is not a whole number from 1 to 24.',
  },
  INVALID_TAX_YEAR: {
    status: 400,
    message: 'Send `taxYear` as two consecutive years, for example 2026-27.',
    when: '`taxYear` is not two consecutive years written YYYY-YY.',
  },
  INVALID_DATE_FORMAT: {
    status: 400,
    message: 'Send dates as YYYY-MM-DD, for example 2025-12-18.',
    when: 'A date is not a real calendar date written YYYY-MM-DD.',
  },
  INVALID_LIMIT: {
    status: 400,
    message: 'Send `limit` as a whole number from 1 to 500.',
    when: '`limit` is not a whole number from 1 to 500.',
  },
  INVALID_PARAMETER: {
    status: 400,
    message: 'Correct the parameter named in `field` and send the call again.',
    when: 'A value cannot be read, a sandbox outcome is not one of this endpoint, or an `Idempotency-Key` stands for another call. `field` names it.',
    extras: { field: 'limit' },
  },
  FLAT_ONLY_ADDRESS: {
    status: 400,
    message: 'Add the building name or number and the street to the address.',
    when: 'The address names only a flat or a number.',
  },
  ORGANISATION_OR_AGENT_NAME: {
    status: 400,
    message: 'Send the address of the property, not the name of a company or agent.',
    when: 'The address looks like the name of an organisation or agent.',
  },
  PROPERTY_LEVEL_COUNTRY_UNSUPPORTED: {
    status: 400,
    message:
      'Property-level council tax covers England and Wales only; use /council-tax/lookup for a Scottish postcode.',
    advice:
      'Send a postcode of England or Wales. For a Scottish one /council-tax/lookup has the amounts of every band; Northern Ireland and the islands have rates of their own, which whoever the message names can tell.',
    when: 'The postcode lies in Scotland, in Northern Ireland or on an island with rates of its own.',
  },
  BAD_REQUEST: {
    status: 400,
    message: 'The request is not valid HTTP; check its request line and headers.',
    when: 'The request could not be read as HTTP.',
  },
  // 401, 402, 403, 429: who asks
  UNAUTHORIZED: {
    status: 401,
    message: 'Send a valid API key in the X-API-Key header.',
    when: 'The key is missing, unknown, revoked or expired (area endpoints).',
  },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    message: 'Send a valid API key in the X-API-Key header.',
    when: 'The key is missing, unknown, revoked or expired.',
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    message:
      'The account has too few credits for this call; ask for more, or wait for the refresh that `X-Credits-Refresh-At` tells, where it is sent.',
    when: 'The balance does not cover the cost of the call. Nothing is charged.',
  },
  KEY_NOT_ALLOWED: {
    status: 403,
    message: 'This key may not be used for this call; send it from where it is bound to, or use another key.',
    advice:
      'Where `reason` is `origin`, call from a page of an origin that the key is bound to (browsers send `Origin` themselves), or use a live key on a server. Where it is `endpoint`, use one of `endpoints`, or another key. Where it is `address`, call from an address that the key is bound to, or have yours added to it.',
    when: 'The key was used from an origin or address, or for an endpoint, that it is not bound to. `reason` says which: `origin`, `address` or `endpoint`. A publishable key (`dd_pub_…`) answers `/account` and `/account/usage` only where it is bound to them by name. Nothing is charged.',
    extras: { reason: 'origin' },
  },
  ACCOUNT_SUSPENDED: {
    status: 403,
    message: 'This account is suspended; ask whoever runs this service to resume it.',
    when: 'The operator has suspended the account of the key. Every call is refused until it is resumed, `/account` and calls of test keys included; the dashboard says why. Nothing is charged.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests; wait the number of seconds given in Retry-After.',
    when: 'The limit of the minute, day or month is reached. `window` and `limit` say which.',
    extras: { window: 'minute', limit: 10 },
  },
  // 404, 405 and other refusals of HTTP itself
  NOT_FOUND: {
    status: 404,
    message: 'There is nothing at this path; look it up in /docs, which lists every endpoint.',
    when: 'The path is not one of the API.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Use the method named in the Allow header.',
    when: 'The path exists, but not for this HTTP method.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request did not arrive in time; send it again.',
    when: 'The request line and headers took too long to arrive.',
  },
  URI_TOO_LONG: {
    status: 414,
    message: 'Shorten the query string and send the call again.',
    when: 'The request target is longer than the service reads.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: 'Send fewer or shorter headers.',
    when: 'The request headers are larger than the service reads.',
  },
  POSTCODE_NOT_FOUND: {
    status: 404,
    message: 'The Royal Mail withdrew this postcode in 2019-05; send one of `nearest`.',
    advice:
      'Check the postcode for a typing slip. In place of a withdrawn one send that which is used there now; `nearest` has those around it. In place of one that is not in the sample of this service, or not known to a test key, send an example of /docs.',
    when: 'The postcode is well formed but unknown to this service, or no longer in use. `terminated` is then the month of its withdrawal, and `nearest` lists up to three postcodes in use within a kilometre of its last place.',
    extras: { terminated: '2019-05', nearest: [{ postcode: 'ZZ1 1AB', distanceMetres: 40 }] },
  },
  PROPERTY_NOT_FOUND: {
    status: 404,
    message: 'No property in the valuation list matches; choose one of `suggestions` or check the address.',
    when: 'No entry of the valuation list matches the address.',
    extras: { candidateCount: 2, suggestions: ['1 EXAMPLE ROAD, ZEDBURY, ZZ1 1AA'] },
  },
  AUTHORITY_NOT_FOUND: {
    status: 404,
    message: 'No such billing authority; find its code with /council-tax/authorities.',
    when: 'The authority code is unknown, or belongs to an abolished council (`successors` then names the new ones).',
    extras: { successors: [{ authorityCode: 'E06000063', name: 'Cumberland' }] },
  },
  COUNCIL_TAX_NOT_FOUND: {
    status: 404,
    message: 'No council tax figures are loaded for this authority and year; try one of `availableYears`.',
    advice:
      'Send `taxYear` as one of `availableYears`. Where there are none, ask the council that the message names, or send the postcode of the property in place of that of a PO box.',
    when: 'There is no figure for the authority or tax year (`availableYears` lists those there are), or the place levies no council tax.',
    extras: { availableYears: ['2026-27', '2025-26'] },
  },
  NO_CRIME_DATA: {
    status: 404,
    message:
      'No data of Zedborth Police is loaded for 2026-09; its newest loaded month is 2026-08, which `months=2` reaches.',
    advice:
      'Where `lastMonthLoaded` is sent, ask for enough `months` to reach it, 24 at most. Else send another postcode: one nearby where `reason` is `no-grid-reference` or `force-unknown`, an example of /docs where it is `not-in-sample`, one of another police force in every other case.',
    when: 'Of the place and months asked no crime is published, or none is loaded here. `reason` is one of `scotland`, `channel-islands`, `isle-of-man`, `no-grid-reference`, `force-unknown`, `not-in-sample`, `force-not-loaded` or `force-without-data` (with `lastMonthLoaded`, where a month is loaded), `force-stopped` (with `lastMonth`, the last it published).',
    extras: { reason: 'force-not-loaded', policeForce: 'Zedborth Police', lastMonthLoaded: '2026-08' },
  },
  NO_DATA_FOUND: {
    status: 404,
    message: 'No rate change falls in this range; send an earlier `startDate` or a later `endDate`.',
    advice:
      'Send an earlier `startDate` or a later `endDate`, so that a change lies between them. A range that ends before the first change is told its date.',
    when: 'No rate change falls in the date range. `rateInForce` tells the rate then in force, where there was one.',
    extras: { rateInForce: { date: '2025-12-18', rate: 3.75 } },
  },
  // 5xx: our side, or a source's
  INTERNAL_ERROR: {
    status: 500,
    message: 'Something failed on our side; send the call again, and quote the request id if it persists.',
    when: 'An unexpected failure (area statistics). Nothing is charged.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    message: 'Something failed on our side; send the call again, and quote the request id if it persists.',
    when: 'An unexpected failure. Nothing is charged.',
  },
  DATABASE_ERROR: {
    status: 500,
    message: 'The data or the account ledger could not be read; send the call again in a moment.',
    when: 'The release or the ledger could not be read or written. Nothing is charged.',
  },
  POLICE_API_ERROR: {
    status: 502,
    message: 'The police data service answered with an error; send the call again later.',
    advice:
      'Send the call again later; where the message says that there are too many crimes, send a smaller `radius`.',
    when: 'The live police source failed. Nothing is charged.',
  },
  CANDIDATE_LOOKUP_FAILED: {
    status: 502,
    message: 'The list of addresses could not be retrieved; send the call again after Retry-After.',
    advice:
      'With `Retry-After` in the reply, send the call again after so many seconds. Without it this service holds no valuation list of the place and waiting does not help: look the address up at https://www.gov.uk/council-tax-bands, or send the postcode of the property where the message says that it belongs to no place.',
    when: 'No valuation list is loaded for the place (then without Retry-After, as waiting does not help), and the public valuation site is off or failed. Nothing is charged.',
    extras: { retryAfterSeconds: 30 },
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'This data is not available at the moment; try again after Retry-After.',
    advice:
      'With `Retry-After` in the reply, send the call again after so many seconds. Without it waiting does not help: the data is not loaded (`/api/v1/datasets` tells what this service holds), or calls cannot be metered until its operator has put that right; ask whoever runs it.',
    when: 'The data behind the endpoint is not loaded (then without Retry-After, as waiting does not help), its live source is down, or calls cannot be metered. Nothing is charged.',
  },
  BATCH_EXHAUSTED: {
    status: 503,
    message:
      'The calls before this one used up what a batch may take; send it again in another batch, or by itself.',
    when: 'A call of a batch was not answered because the answers of the batch reached its size, or it lasted too long: `bound` is `bytes` or `seconds`. Nothing is charged for the call.',
    extras: { bound: 'bytes' },
  },
  PROPERTY_LOOKUP_INCOMPLETE: {
    status: 503,
    message: 'The lookup could not be completed; send the call again after Retry-After.',
    when: 'The public valuation site answered in part only. Nothing is charged.',
    extras: { retryAfterSeconds: 30 },
  },
  VOA_ERROR: {
    status: 503,
    message: 'The valuation source could not be read; send the call again after Retry-After.',
    advice:
      'With `Retry-After` in the reply, send the call again after so many seconds. Without it this service holds no valuation list of the place and waiting does not help: look the band up at https://www.gov.uk/council-tax-bands, or send the postcode of the property where the message says that it belongs to no place.',
    when: 'No valuation list is loaded for the place (then without Retry-After, as waiting does not help), and the public valuation site is off or failed. Nothing is charged.',
    extras: { retryAfterSeconds: 30 },
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;

export const errors: Readonly<Record<ErrorCode, ErrorEntry>> = table;

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(table, text);

export const errorCodes = Object.keys(table).filter(isErrorCode);
