// The pages of error codes: the list at /docs/errors, and one page a code, which is where `error.docs` of a reply leads.

import type { Endpoint } from '../../contract/endpoint.ts';
import { type ErrorCode, errorCodes, errors } from '../../errors.ts';
import { statusName } from '../wire/status-names.ts';
import { againWords } from './again.ts';
import { type Block, type DocsPage, guidePath, heading, text } from './blocks.ts';
import { errorPath } from './inline.ts';
import { endpointPath, exampleCall } from './reference.ts';

export const errorListPath = '/docs/errors';

const statuses: readonly number[] = [...new Set(errorCodes.map((code) => errors[code].status))].sort(
  (a, b) => a - b,
);

export const errorListPage: DocsPage = {
  path: errorListPath,
  title: 'Error codes',
  summary: 'Every code that a reply can have, with its cause and its cure. No error costs anything.',
  facts: [],
  trail: [['Documentation', '/docs']],
  blocks: [
    text(
      `A reply names its code in \`error.code\` and links to the page of the code in \`error.docs\`. [Errors and retries](${guidePath('errors')}) says how to handle them.`,
    ),
    ...statuses.flatMap((status): readonly Block[] => [
      heading(`${status} ${statusName(status)}`, `status-${status}`),
      { kind: 'codes', codes: errorCodes.filter((code) => errors[code].status === status) },
    ]),
  ],
  beside: [],
};

export function errorCodePage(code: ErrorCode, endpoints: readonly Endpoint[]): DocsPage {
  const { status, when, message, advice = message, extras = {} } = errors[code];
  const users = endpoints.filter((endpoint) => endpoint.errors.includes(code));
  const error = { code, message, ...extras, requestId: exampleRequestId, docs: errorPath(code) };
  const shown: Block = { kind: 'answer', status, headers: {}, body: { json: { success: false, error } } };
  return {
    path: errorPath(code),
    title: code,
    summary: when,
    facts: [`${status} ${statusName(status)}`, 'not charged'],
    trail: [
      ['Documentation', '/docs'],
      ['Error codes', errorListPath],
    ],
    blocks: [
      heading('What to do'),
      text(advice),
      heading('Send it again?'),
      text(againWords(code)),
      heading('Example'),
      ...rehearsal(code, users[0]),
      shown,
      heading('Who answers it'),
      ...answeredBy(code, users, endpoints),
    ],
    beside: [],
  };
}

const exampleRequestId = 'ZQGUCGDdm-_V6bnwZA5l';

/** A test key gets the error by asking for it. */
function rehearsal(code: ErrorCode, user: Endpoint | undefined): readonly Block[] {
  if (user === undefined) return [];
  return [
    text('A test key gets this error when it asks for it:'),
    { kind: 'call', call: exampleCall(user, code) },
  ];
}

function answeredBy(
  code: ErrorCode,
  users: readonly Endpoint[],
  endpoints: readonly Endpoint[],
): readonly Block[] {
  if (code === 'BATCH_EXHAUSTED') return [text(`A call of a [batch](${guidePath('batch')}).`)];
  if (users.length === 0) return [text('Any path: the request itself is wrong, so no endpoint reads it.')];
  if (users.length === endpoints.length) return [text('Every endpoint.')];
  return [
    { kind: 'list', items: users.map((endpoint) => `[\`${endpoint.path}\`](${endpointPath(endpoint)})`) },
  ];
}
