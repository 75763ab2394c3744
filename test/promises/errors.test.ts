// Promise: one table of codes, complete against the contract and the decisions, used by every endpoint.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpoints } from '../../src/endpoints/index.ts';
import { errorCodes, errors } from '../../src/errors.ts';

/** Codes of the contract with their statuses, typed from its tables. */
const contract: Record<number, string> = {
  400: `MISSING_POSTCODE MISSING_ADDRESS FLAT_ONLY_ADDRESS ORGANISATION_OR_AGENT_NAME
    PROPERTY_LEVEL_COUNTRY_UNSUPPORTED MISSING_AUTHORITY_CODE INVALID_POSTCODE INVALID_TAX_YEAR INVALID_MONTHS
    MISSING_AREA_OR_POSTCODE INVALID_AREA INVALID_PROPERTY_TYPE INVALID_DATE_FORMAT INVALID_LIMIT`,
  401: 'AUTHENTICATION_REQUIRED UNAUTHORIZED',
  402: 'INSUFFICIENT_CREDITS',
  404: 'POSTCODE_NOT_FOUND PROPERTY_NOT_FOUND AUTHORITY_NOT_FOUND COUNCIL_TAX_NOT_FOUND NO_CRIME_DATA NO_DATA_FOUND',
  429: 'RATE_LIMITED',
  500: 'DATABASE_ERROR INTERNAL_SERVER_ERROR INTERNAL_ERROR',
  502: 'CANDIDATE_LOOKUP_FAILED POLICE_API_ERROR',
  503: 'PROPERTY_LOOKUP_INCOMPLETE VOA_ERROR SERVICE_UNAVAILABLE',
};
/** Added where the contract is silent. */
const decided: Record<number, string> = {
  400: 'INVALID_PARAMETER BAD_REQUEST',
  403: 'KEY_NOT_ALLOWED ACCOUNT_SUSPENDED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  414: 'URI_TOO_LONG',
  431: 'HEADERS_TOO_LARGE',
  503: 'BATCH_EXHAUSTED',
};

const flat = (table: Record<number, string>) =>
  Object.entries(table).flatMap(([status, codes]) => codes.split(/\s+/).map((code) => `${status} ${code}`));

test('the contract has 32 codes and the table has them all, each with its status, and no unexplained one', () => {
  assert.equal(flat(contract).length, 32);
  const table = errorCodes.map((code) => `${errors[code].status} ${code}`);
  assert.deepEqual(table.toSorted(), [...flat(contract), ...flat(decided)].toSorted());
});

test('every message is one sentence that ends with a full stop', () => {
  for (const code of errorCodes) {
    assert.match(errors[code].message, /^[A-Z`].*\.$/, code);
    assert.match(errors[code].when, /\.$/, code);
  }
});

test('each endpoint can refuse a key, a lack of credits, haste, and a failure of ours', () => {
  for (const endpoint of endpoints) {
    const statuses = new Set(endpoint.errors.map((code) => errors[code].status));
    for (const status of [401, 429, 500, ...(endpoint.credits > 0 ? [402] : [])]) {
      assert.ok(statuses.has(status), `${endpoint.path} has no ${status}`);
    }
  }
});
