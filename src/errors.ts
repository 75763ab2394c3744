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

const keyAdvice =
  'Send a valid API key in the X-API-Key header. The message says whether no key arrived, whether it arrived in `Authorization`, or whether what arrived is not a key. If it is one, it is unknown to this service, revoked or expired; the reply does not say which.';

const table = {
  // 400: what was asked
  MISSING_POSTCODE: {
    status: 400,
    message: 'Send the `postcode` parameter, for example postcode=SW1A 1AA.',
    when: '`postcode` is absent or empty.',
  },
  MISSING_ADDRESS: {
    status: 400,
    message: 'Send the `address` parameter with the flat or house number and the street.',
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
      'Send one of `area` (for example SW), `postcode` (SW1A 1AA), `outcode` (SW1A) or `sector` (SW1A 1).',
    when: 'The call has no `area`, `postcode`, `outcode` or `sector`.',
  },
  INVALID_POSTCODE: {
    status: 400,
    message: 'Send a full UK postcode, for example SW1A 1AA.',
    when: 'The postcode is not written like a UK postcode.',
  },
  INVALID_AREA: {
    status: 400,
    message:
      'Send `area` as one or two letters, for example SW, or `postcode` as a full postcode, for example SW1A 1AA.',
    when: 'The postcode area is malformed, or the postcode that it comes from is. `field` says which.',
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
    when: 'The endpoint does not have a parameter that was sent, a parameter was sent twice, the service cannot read a value, the endpoint does not have the sandbox outcome, or the `Idempotency-Key` already belongs to another call. `field` names what is wrong. `suggestion` is the parameter that was probably meant, if one is near.',
    extras: { field: 'taxyear', suggestion: 'taxYear' },
  },
  FLAT_ONLY_ADDRESS: {
    status: 400,
    message: 'Add the building name or number and the street to the address.',
    when: 'The address has only a flat or a number.',
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
      'Send a postcode in England or Wales. For a Scottish postcode, /council-tax/lookup has the amounts of every band. Northern Ireland and the islands have their own rates. The message names the body to ask.',
    when: 'The postcode is in Scotland, in Northern Ireland or on an island that has its own rates.',
  },
  BAD_REQUEST: {
    status: 400,
    message: 'The request is not valid HTTP; check its request line and headers.',
    when: 'The service cannot read the request as HTTP.',
  },
  // 401, 402, 403, 429: who asks
  UNAUTHORIZED: {
    status: 401,
    message: 'Send a valid API key in the X-API-Key header.',
    advice: keyAdvice,
    when: 'The key is missing, unknown, revoked or expired (area endpoints).',
  },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    message: 'Send a valid API key in the X-API-Key header.',
    advice: keyAdvice,
    when: 'The key is missing, unknown, revoked or expired.',
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    message:
      'The account has too few credits for this call; ask for more, or wait for the refresh at the time in `X-Credits-Refresh-At`, if the reply has that header.',
    when: 'The balance does not cover the cost of the call. The call costs nothing.',
  },
  KEY_NOT_ALLOWED: {
    status: 403,
    message: 'This key may not make this call; call from where the key is allowed, or use another key.',
    advice:
      'If `reason` is `origin`, call from a page on an origin that the key allows (browsers send `Origin` themselves), or use a live key on a server. If it is `endpoint`, call one of `endpoints` or use another key. If it is `address`, call from an address that the key allows, or ask for yours to be added.',
    when: 'The key does not allow this origin, address or endpoint. `reason` says which: `origin`, `address` or `endpoint`. A publishable key (`dd_pub_…`) can call `/account` and `/account/usage` only if it names them. The call costs nothing.',
    extras: { reason: 'origin' },
  },
  ACCOUNT_SUSPENDED: {
    status: 403,
    message: 'This account is suspended; ask the operator of this service to resume it.',
    when: 'The operator has suspended the account that owns the key. The service refuses every call, including `/account` and calls with test keys, until the operator resumes the account. The dashboard says why. The call costs nothing.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many requests; wait for the number of seconds in Retry-After.',
    when: 'The account has reached its limit for the minute, day or month. `window` and `limit` say which.',
    extras: { window: 'minute', limit: 10 },
  },
  // 404, 405 and other refusals of HTTP itself
  NOT_FOUND: {
    status: 404,
    message: 'There is nothing at this path; look at /docs, which lists every endpoint.',
    when: 'The API does not have this path.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'Use the method named in the Allow header.',
    when: 'The path exists, but it does not take this HTTP method.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request did not arrive in time; send it again.',
    when: 'The request line and headers took too long to arrive.',
  },
  URI_TOO_LONG: {
    status: 414,
    message: 'Shorten the query string and send the call again.',
    when: 'The path and query are longer than the service accepts.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: 'Send fewer or shorter headers.',
    when: 'The request headers are larger than the service accepts.',
  },
  POSTCODE_NOT_FOUND: {
    status: 404,
    message: 'Royal Mail withdrew this postcode in 2019-05; send one of `nearest`.',
    advice:
      'Check the postcode for a typing slip. If it was withdrawn, send the postcode that is used there now; `nearest` lists those around it. If the message says that the postcode is outside the sample or unknown to a test key, send one that the message names.',
    when: 'The postcode is well formed, but this service does not know it or it is no longer in use. For a withdrawn postcode, `terminated` is the month of withdrawal, and `nearest` lists up to three postcodes in use within a kilometre of its last location.',
    extras: { terminated: '2019-05', nearest: [{ postcode: 'ZZ1 1AB', distanceMetres: 40 }] },
  },
  PROPERTY_NOT_FOUND: {
    status: 404,
    message: 'No property in the valuation list matches; choose one of `suggestions` or check the address.',
    when: 'No entry in the valuation list matches the address.',
    extras: { candidateCount: 2, suggestions: ['1 EXAMPLE ROAD, ZEDBURY, ZZ1 1AA'] },
  },
  AUTHORITY_NOT_FOUND: {
    status: 404,
    message: 'No billing authority has this code; find the code with /council-tax/authorities.',
    when: 'The authority code is unknown, or the council was abolished. For an abolished council, `successors` names the new ones.',
    extras: { successors: [{ authorityCode: 'E06000063', name: 'Cumberland' }] },
  },
  COUNCIL_TAX_NOT_FOUND: {
    status: 404,
    message: 'No council tax figures are loaded for this authority and year; try one of `availableYears`.',
    advice:
      'Send `taxYear` as one of `availableYears`. If that list is empty, ask the council that the message names. If there is a `reason`, look up the band at https://www.gov.uk/council-tax-bands. If the postcode is a PO box, send the postcode of the property instead.',
    when: 'There are no figures for the authority or tax year, or the place has no council tax. `availableYears` lists the years that have figures. On the endpoints for one property, `reason` is `LIST_NOT_LOADED` if no valuation list of the council is loaded and the public valuation site is switched off, and `LIST_PARTIAL` if only a part of its list is loaded, which has no home in the postcode. The call costs nothing.',
    extras: { availableYears: ['2026-27', '2025-26'] },
  },
  NO_CRIME_DATA: {
    status: 404,
    message:
      'No data of Zedborth Police is loaded for 2026-09; its newest loaded month is 2026-08, which `months=2` reaches.',
    advice:
      'If the error has `lastMonthLoaded`, ask for enough `months` to reach it, up to 24. Otherwise send another postcode: one nearby if `reason` is `no-grid-reference` or `force-unknown`, one that the message names if it is `not-in-sample`, and a postcode of another police force in all other cases.',
    when: 'The police publish no crimes for this place and these months, or none are loaded here. `reason` is `scotland`, `channel-islands`, `isle-of-man`, `no-grid-reference`, `force-unknown`, `not-in-sample`, `force-not-loaded`, `force-without-data` or `force-stopped`. With `force-not-loaded` and `force-without-data`, `lastMonthLoaded` is the newest loaded month, if there is one. With `force-stopped`, `lastMonth` is the last month that the force published.',
    extras: { reason: 'force-not-loaded', policeForce: 'Zedborth Police', lastMonthLoaded: '2026-08' },
  },
  NO_DATA_FOUND: {
    status: 404,
    message: 'The rate did not change in this range; send an earlier `startDate` or a later `endDate`.',
    advice:
      'Send an earlier `startDate` or a later `endDate`, so that the range includes a change. If the range ends before the first change, the message gives the date of that change; if it ends after the last day that is known, the message gives that day.',
    when: 'No change of the rate is known in the date range. `rateInForce` is the rate that applied at its start, if there was one and it is known.',
    extras: { rateInForce: { date: '2025-12-18', rate: 3.75 } },
  },
  // 5xx: our side, or a source's
  INTERNAL_ERROR: {
    status: 500,
    message:
      'Something failed on our side; send the call again, and quote the request id if it keeps failing.',
    when: 'Something unexpected failed (area statistics only). The call costs nothing.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    message:
      'Something failed on our side; send the call again, and quote the request id if it keeps failing.',
    when: 'Something unexpected failed. The call costs nothing.',
  },
  DATABASE_ERROR: {
    status: 500,
    message: 'The service could not read the data or the account ledger; send the call again in a moment.',
    when: 'The service could not read the data, or could not read or write the ledger. The call costs nothing.',
  },
  POLICE_API_ERROR: {
    status: 502,
    message: 'The police data service answered with an error; send the call again later.',
    advice: 'Send the call again later.',
    when: 'The police data service failed. Crimes come from loaded data, so that only a test key gets this error, if it asks for it with `X-Sandbox-Outcome`. The call costs nothing.',
  },
  CANDIDATE_LOOKUP_FAILED: {
    status: 502,
    message: 'The service could not get the list of addresses; send the call again after Retry-After.',
    when: 'The public valuation site was asked, because no valuation list is loaded for the place, and failed. The call costs nothing.',
    extras: { retryAfterSeconds: 30 },
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'This data is not available at the moment; try again after Retry-After.',
    advice:
      'If the reply has `Retry-After`, wait that many seconds and send the call again. If it does not, waiting does not help: the data is not loaded, or only as the bundled sample (`/api/v1/datasets` lists what is), or the service cannot meter calls until its operator fixes it. Ask the operator.',
    when: 'The data that the endpoint needs is not loaded, its live source is down, or the service cannot meter calls. If waiting does not help, the reply comes without Retry-After. The call costs nothing.',
  },
  BATCH_EXHAUSTED: {
    status: 503,
    message:
      'The calls before this one used up the size or time that a batch may take; send it again in another batch, or by itself.',
    when: 'The service did not answer this call of a batch, because the answers reached the size limit or the batch took too long. `bound` is `bytes` or `seconds`. This call costs nothing.',
    extras: { bound: 'bytes' },
  },
  PROPERTY_LOOKUP_INCOMPLETE: {
    status: 503,
    message: 'The service could not complete the lookup; send the call again after Retry-After.',
    when: 'The public valuation site gave only part of an answer. The call costs nothing.',
    extras: { retryAfterSeconds: 30 },
  },
  VOA_ERROR: {
    status: 503,
    message: 'The service could not read the valuation source; send the call again after Retry-After.',
    when: 'The public valuation site was asked, because no valuation list is loaded for the place, and failed. The call costs nothing.',
    extras: { retryAfterSeconds: 30 },
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;

export const errors: Readonly<Record<ErrorCode, ErrorEntry>> = table;

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(table, text);

export const errorCodes = Object.keys(table).filter(isErrorCode);
