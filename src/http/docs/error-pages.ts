// The pages of error codes: the list at /docs/errors, and one page a code, which is where `error.docs` of a reply leads.

import type { Endpoint } from '../../contract/endpoint.ts';
import { type ErrorCode, errorCodes, errors } from '../../errors.ts';
import { statusName } from '../wire/status-names.ts';
import { anchorOf, curlLine } from './fields.ts';
import { exampleOrigin } from './guide-blocks.ts';
import {
  brand,
  breakable,
  codeLink,
  type Html,
  html,
  jsonBlock,
  nothing,
  originScript,
  page,
  prose,
  type Reference,
  shellCode,
} from './html.ts';

export const errorStatuses: readonly number[] = [
  ...new Set(errorCodes.map((code) => errors[code].status)),
].sort((a, b) => a - b);

/** Every code with when it comes, by status. */
export const errorGroups: readonly Html[] = errorStatuses.map(
  (status) => html`<section class="errors" aria-labelledby="status-${status}">
<h3 id="status-${status}"><span class="status">${status}</span> ${statusName(status)}</h3>
<dl>
${errorCodes
  .filter((code) => errors[code].status === status)
  .map(
    (code) =>
      html`<div class="error" id="${code}"><dt>${codeLink(code)}</dt><dd>${prose(errors[code].when)}</dd></div>
`,
  )}</dl>
</section>
`,
);

export const errorListPage = (version: string): string =>
  errorPage({ title: 'Error codes', version, script: nothing }, [
    html`<h1 id="title">Error codes</h1>
<p class="lead">No error is ever charged. Each reply names its code in <code>error.code</code> and links to the code’s page in <code>error.docs</code>.</p>
`,
    ...errorGroups,
  ]);

/** For an address that names no code. */
export const noSuchErrorPage = (named: string, version: string): string =>
  errorPage({ title: 'No such error code', version, script: nothing }, [
    html`<h1 id="title">No such error code</h1>
<p class="lead">No reply of this service has the code <code>${breakable(named)}</code>; <a href="/docs/errors">the list has every one there is</a>.</p>
`,
  ]);

export function errorCodePage(code: ErrorCode, reference: Reference): string {
  const { endpoints, version } = reference;
  const { status, when, message, advice = message, extras = {} } = errors[code];
  const error = { code, message, ...extras, requestId: exampleRequestId, docs: `/docs/errors/${code}` };
  const users = endpoints.filter((endpoint) => endpoint.errors.includes(code));
  return errorPage({ title: code, version, script: originScript }, [
    html`<p class="trail"><a href="/docs">Reference</a> › <a href="/docs/errors">Error codes</a></p>
<h1 id="title" class="error-title">${breakable(code)}</h1>
<dl class="terms">
<div><dt>Status</dt><dd>${status} ${statusName(status)}</dd></div>
<div><dt>When</dt><dd>${prose(when)}</dd></div>
<div><dt>What to do</dt><dd>${prose(advice)}</dd></div>
<div><dt>Send it again?</dt><dd>${prose(againWords(code))}</dd></div>
<div><dt>Cost</dt><dd>Nothing: an error is never charged.</dd></div>
<div><dt>Answered by</dt><dd>${code === 'BATCH_EXHAUSTED' ? html`A call of a batch.` : answeredBy(users, endpoints)}</dd></div>
</dl>
<h2>Body</h2>
${jsonBlock(JSON.stringify({ success: false, error }, null, 2))}
`,
    rehearsal(code, users[0], reference),
  ]);
}

const exampleRequestId = 'mhzlx2k0a-5f0c4d579a3c-00001f';

type Head = { readonly title: string; readonly version: string; readonly script: Html };

function errorPage({ title, version, script }: Head, parts: readonly Html[]): string {
  const body = html`<header class="bar">${brand(version)}</header>
<main id="main" class="single" tabindex="-1" aria-labelledby="title">
${parts}</main>`;
  return page({ title: `${title} · Domesday API`, script, body });
}

/** What a repeated call would meet: the status tells, but for codes that have more than one cause. */
function againWords(code: ErrorCode): string {
  const ifTold =
    'Where the reply has `Retry-After`, after so many seconds; where it has none, waiting does not help.';
  if (code === 'CANDIDATE_LOOKUP_FAILED') return ifTold;
  if (code === 'POLICE_API_ERROR')
    return 'After a moment; where the message asks for a smaller `radius`, with that.';
  if (code === 'BATCH_EXHAUSTED') return 'Yes, at once: in another batch, or by itself.';
  if (code === 'NOT_FOUND') return 'Only when it is changed: the same call gets the same answer.';
  switch (errors[code].status) {
    case 401:
      return 'With a valid key in `X-API-Key`; with the same key the answer stays the same.';
    case 402:
      return 'Once the account has credits again; `X-Credits-Remaining` tells how many there are.';
    case 404:
      return 'Only when it is changed: the same call gets the same answer until other data is loaded.';
    case 408:
    case 500:
      return 'Yes, after a moment; if it persists, report it with the request id.';
    case 429:
      return 'Yes, after the seconds that `Retry-After` gives.';
    case 503:
      return ifTold;
    default:
      return 'Only when it is changed: the same call gets the same answer.';
  }
}

function answeredBy(users: readonly Endpoint[], endpoints: readonly Endpoint[]): Html {
  if (users.length === 0) return html`Any path: it concerns the request itself, before an endpoint reads it.`;
  if (users.length === endpoints.length) return html`Every endpoint.`;
  const links = users.map(
    (endpoint) =>
      html`<li><a href="/docs#${anchorOf(endpoint)}"><code>${breakable(endpoint.path)}</code></a></li>`,
  );
  return html`<ul class="users">${links}</ul>`;
}

/** A test key gets the error by asking for it. */
function rehearsal(code: ErrorCode, user: Endpoint | undefined, reference: Reference): Html {
  if (user === undefined) return nothing;
  const { publicUrl: origin = exampleOrigin, publicKey: key } = reference;
  const line = curlLine(user, { origin, set: 'sandbox', key, outcome: code });
  return html`<h2>See it</h2>
<p class="measure">A test key gets this error when it asks for it:</p>
<pre class="curl" tabindex="0">${shellCode(line, reference)}</pre>
`;
}
