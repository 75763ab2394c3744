// The paths of the documentation: its pages as HTML and Markdown, its files, the search index, what language models read, and
// OpenAPI. Nothing is made before somebody asks; then it is kept as bytes, compressed too.

import { readFile } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../../config.ts';
import { basePath, type Endpoint } from '../../contract/endpoint.ts';
import { readExampleAnswers } from '../../contract/examples.ts';
import type { Publication } from '../../contract/missing-datasets.ts';
import { openApi } from '../../contract/openapi.ts';
import { isErrorCode } from '../../errors.ts';
import type { PlanPrice } from '../../ledger/plans.ts';
import { publicKey } from '../../ledger/public-sandbox.ts';
import type { Release } from '../../release/reader.ts';
import { type Headers, jsonType, type Reply } from '../envelope.ts';
import { isMarkdownWanted } from '../negotiate.ts';
import { etagOfBytes, moved, type Operation, pageReply, textReply, unlessKnown } from '../operation.ts';
import { pathOf } from '../wire/target.ts';
import { exampleOrigin } from './blocks.ts';
import type { Site } from './site.ts';

type DocumentsDesk = {
  readonly endpoints: readonly Endpoint[];
  readonly releases: { readonly live: () => Release | undefined };
  readonly settings: Settings;
  readonly version: string;
  readonly publications: readonly Publication[];
  readonly planPrices: () => Promise<readonly PlanPrice[]>;
};

const markdownType = 'text/markdown; charset=utf-8';
const textType = 'text/plain; charset=utf-8';

/** Of web/docs. */
const files: ReadonlyMap<string, string> = new Map([
  ['colours.css', 'text/css; charset=utf-8'],
  ['docs.css', 'text/css; charset=utf-8'],
  ['docs.js', 'text/javascript; charset=utf-8'],
  ['origin.js', 'text/javascript; charset=utf-8'],
  ['search.js', 'text/javascript; charset=utf-8'],
  ['try.js', 'text/javascript; charset=utf-8'],
]);

export function documents(desk: DocumentsDesk): readonly Operation[] {
  const { endpoints, version, settings, publications, releases } = desk;
  const kept = new KeptBytes();
  let opening: Promise<Site> | undefined;
  let priced = '';
  const site = async () => {
    const planPrices = await desk.planPrices();
    const asPriced = JSON.stringify(planPrices);
    if (asPriced !== priced) opening = undefined;
    priced = asPriced;
    opening ??= import('./site.ts').then(async ({ openSite }) =>
      openSite({
        endpoints,
        examples: await readExampleAnswers(),
        version,
        publications,
        live: releases.live,
        shown: {
          publicKey: settings.publicSandbox === 'on' ? publicKey : undefined,
          publicUrl: settings.publicUrl,
          planPrices,
        },
      }),
    );
    // What could not be read once may be there the next time.
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const page = async (request: FastifyRequest) => pageOf(request, await site(), kept);
  const words = (path: string, type: string, make: (site: Site) => string): Operation => ({
    path,
    reply: async (request) => {
      const from = await site();
      return fileReply(
        request,
        kept.of(request, path, from, () => make(from)),
        type,
      );
    },
  });
  let specification: Buffer | undefined;
  return [
    {
      path: `${basePath}/openapi.json`,
      reply: async ({ id }) => {
        specification ??= Buffer.from(
          JSON.stringify(openApi(endpoints, version, await readExampleAnswers())),
        );
        return textReply(id, jsonType, specification);
      },
    },
    { path: '/docs', reply: page },
    { path: '/docs.md', reply: page },
    { path: '/docs/*', reply: page },
    words('/docs/search.json', jsonType, (from) => from.searchIndex()),
    words('/llms.txt', textType, (from) => from.llms()),
    words('/llms-full.txt', textType, (from) => from.llmsFull()),
    ...[...files].map(([name, type]): Operation => {
      let bytes: Buffer | undefined;
      return {
        path: `/docs/${name}`,
        reply: async (request) => {
          bytes ??= await readFile(new URL(`../../../web/docs/${name}`, import.meta.url));
          return fileReply(request, { bytes, etag: etagOfBytes(bytes) }, type);
        },
      };
    }),
  ];
}

type Kept = { readonly bytes: Buffer; readonly etag: string };

/** A name or an address with its port: nothing that means something to HTML or to a shell. */
const plainHost = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Calls in the pages are written for an example address where the service has not been told its own. Here they get the one that
 *  the reader asked, so that they can be copied without a script too; web/docs/origin.js adds what only a browser knows. */
const atAskedAddress = (page: string, host: string): string =>
  plainHost.test(host) ? page.replaceAll(exampleOrigin, `http://${host}`) : page;

/** Most readers ask the same host: of each page the bytes for the last one are kept. Its text is made once whatever the host, so
 *  that nobody has every page made anew by asking under other names. */
class KeptBytes {
  readonly #last = new Map<string, Kept & Made>();

  /** `from` is what the text is made of; of another one it is made anew. */
  of({ headers: { host = '' } }: FastifyRequest, name: string, from: object, make: () => string): Kept {
    const last = this.#last.get(name);
    const known = last?.from === from ? last : undefined;
    if (known !== undefined && (known.naming === undefined || known.naming.host === host)) return known;
    const text = known?.naming?.text ?? make();
    const bytes = Buffer.from(atAskedAddress(text, host));
    const naming = text.includes(exampleOrigin) ? { host, text } : undefined;
    const made = { bytes, etag: etagOfBytes(bytes), naming, from };
    this.#last.set(name, made);
    return made;
  }
}

type Made = {
  readonly from: object;
  /** The host that its calls go to, and the text before it was put in; undefined where it is the same for all. */
  readonly naming: { readonly host: string; readonly text: string } | undefined;
};

function fileReply(request: FastifyRequest, { bytes, etag }: Kept, type: string): Reply {
  const caching = ['cache-control', 'no-cache', 'vary', 'Accept-Encoding', 'etag', etag];
  return unlessKnown(request, etag, textReply(request.id, type, bytes, caching));
}

/** By its address alone, or with `.md` behind it. An address that is slightly off is led to the right one. */
function pageOf(request: FastifyRequest, site: Site, kept: KeptBytes): Reply {
  const asked = pathOf(request);
  const ending = asked.endsWith('.md') ? '.md' : '';
  const path = asked.slice(0, asked.length - ending.length);
  const form = ending === '.md' || isMarkdownWanted(request.headers.accept) ? 'markdown' : 'html';
  const found = site.find(path);
  if (found !== undefined) {
    const { bytes, etag } = kept.of(request, `${form} ${path}`, found, () => site[form](found));
    const caching = ['cache-control', 'no-cache', 'vary', 'Accept, Accept-Encoding', 'etag', etag];
    return unlessKnown(request, etag, written(request, form, bytes, 200, caching));
  }
  const right = rightAddress(path, site);
  if (right !== undefined) return moved(request, `${right}${ending}`);
  const caching = ['cache-control', 'no-store', 'vary', 'Accept, Accept-Encoding'];
  return written(request, form, site[form](site.noSuchPage(path)), 404, caching);
}

const written = (
  { id }: FastifyRequest,
  form: 'html' | 'markdown',
  body: Reply['body'],
  status: number,
  caching: Headers,
): Reply =>
  form === 'html' ? pageReply(id, body, status, caching) : textReply(id, markdownType, body, caching, status);

/** A slash at the end, a code in other letters, a folder without a page of its own, and the endpoint whose page is a guide. */
function rightAddress(path: string, site: Site): string | undefined {
  const bare = path.replace(/\/+$/, '');
  if (bare === '/docs/guides') return '/docs';
  if (bare === '/docs/reference/batch') return '/docs/guides/batch';
  const [, named] = /^\/docs\/errors\/(\w+)$/.exec(bare) ?? [];
  const code = named?.toUpperCase() ?? '';
  if (isErrorCode(code)) return `/docs/errors/${code}`;
  return bare !== path && site.find(bare) !== undefined ? bare : undefined;
}
