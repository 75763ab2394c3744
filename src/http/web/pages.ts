// The pages for people: front page, dashboard and operator, as documents that load the bundle, and the bundle's files.

import type { FastifyRequest } from 'fastify';
import { type Bundle, BundleNotMade, openBundle, type Section } from '../../bundle/bundle.ts';
import type { Settings } from '../../config.ts';
import { basePath } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/refusal.ts';
import { publicKey } from '../../ledger/public-sandbox.ts';
import { html, page } from '../docs/html.ts';
import { type Reply, refusalReply } from '../envelope.ts';
import { isPageWanted } from '../negotiate.ts';
import type { Log } from '../observe/log.ts';
import {
  contentSecurityPolicy,
  etagOfBytes,
  jsonReply,
  type Operation,
  pageReply,
  textReply,
  unlessKnown,
} from '../operation.ts';
import { keepCoded } from '../wire/compress.ts';
import { pathOf } from '../wire/target.ts';
import { assetPath, shell } from './shell.ts';
import { tilesFilePath } from './tiles-file.ts';
import { tlsAlone } from './tls-alone.ts';

export type WebPagesDesk = {
  readonly settings: Settings;
  readonly version: string;
  readonly log: Log;
  /** A clock that is never set. */
  readonly elapsedMs: () => number;
};

/** Where people sign in, and the ends of links in mails; web/person has them. */
const personPages = ['sign-in', 'sign-up', 'confirm', 'reset', 'invite', 'person'];

type Shell = {
  readonly bytes: Buffer;
  readonly etag: string;
  /** Undefined where the usual one does. */
  readonly policy: string | undefined;
};

/** What is made of a bundle, once. */
type Opened = {
  readonly shells: ReadonlyMap<Section, Shell>;
  readonly assets: ReadonlyMap<string, { readonly bytes: Buffer; readonly type: string }>;
};

export function webPages(desk: WebPagesDesk): readonly Operation[] {
  const bundle = openBundle(desk.elapsedMs);
  let last: { readonly of: Bundle; readonly opened: Opened } | undefined;
  const open = async (): Promise<Opened> => {
    const of = await bundle();
    if (last?.of !== of) last = { of, opened: openedOf(of, desk) };
    return last.opened;
  };
  const document = (path: string, section: Section): Operation => ({
    path,
    pages: 'none',
    reply: (request) =>
      told(request, desk, async () => shellReply(request, (await open()).shells.get(section), desk)),
  });
  const front = document('/', 'front');
  return [
    {
      ...front,
      reply: (request) =>
        isPageWanted(request.headers.accept) ? front.reply(request) : index(request, desk),
    },
    document('/explore', 'explore'),
    document('/explore/*', 'explore'),
    ...personPages.map((name) => document(`/account/${name}`, 'person')),
    document('/account', 'account'),
    document('/account/*', 'account'),
    document('/admin', 'admin'),
    document('/admin/*', 'admin'),
    {
      path: assetPath('*'),
      pages: 'none',
      reply: (request) => told(request, desk, async () => assetReply(request, await open(), desk)),
    },
  ];
}

function openedOf(bundle: Bundle, { version, settings }: WebPagesDesk): Opened {
  const facts = {
    version,
    publicUrl: settings.publicUrl,
    publicKey: settings.publicSandbox === 'on' ? publicKey : undefined,
  };
  const sections: readonly Section[] = ['front', 'explore', 'person', 'account', 'admin'];
  const shells = sections.map((section): [Section, Shell] => {
    const { address, attribution, policy } = section === 'explore' ? tilesOf(settings) : noTiles;
    const told = { ...facts, tiles: address, tilesAttribution: attribution };
    const bytes = Buffer.from(shell(bundle, section, told));
    return [section, { bytes, etag: etagOfBytes(bytes), policy }];
  });
  const assets = bundle.assets.map(({ name, type, plain, br, gzip }) => {
    keepCoded(
      plain,
      new Map([
        ['br', br],
        ['gzip', gzip],
      ]),
    );
    return [name, { bytes: plain, type }] as const;
  });
  return { shells: new Map(shells), assets: new Map(assets) };
}

type TilesTold = {
  readonly address: string | undefined;
  readonly attribution: string | undefined;
  readonly policy: string | undefined;
};

const noTiles: TilesTold = { address: undefined, attribution: undefined, policy: undefined };

function tilesOf({ tiles, tilesAttribution: attribution }: Settings): TilesTold {
  if (tiles === undefined) return noTiles;
  return tiles.kind === 'file'
    ? { address: tilesFilePath, attribution, policy: undefined }
    : { address: tiles.address, attribution, policy: contentSecurityPolicy(tiles.origin) };
}

/** Another document of the same origin can neither open nor be opened by these with a hold on them. */
const alone = ['cross-origin-opener-policy', 'same-origin'];

function shellReply(request: FastifyRequest, shown: Shell | undefined, { settings }: WebPagesDesk): Reply {
  if (shown === undefined) throw new Error('A section has no document.');
  const caching = ['cache-control', 'no-cache', 'vary', 'Accept, Accept-Encoding', 'etag', shown.etag];
  const own = shown.policy === undefined ? [] : ['content-security-policy', shown.policy];
  const headers = [...own, ...alone, ...tlsAlone(settings.publicUrl), ...caching];
  return unlessKnown(request, shown.etag, pageReply(request.id, shown.bytes, 200, headers));
}

function assetReply(request: FastifyRequest, { assets }: Opened, { settings }: WebPagesDesk): Reply {
  const found = assets.get(pathOf(request).slice(assetPath('').length));
  const { id: requestId } = request;
  if (found === undefined)
    return refusalReply(refuse('NOT_FOUND'), { requestId, publicUrl: settings.publicUrl });
  // The name changes with the content.
  const caching = ['cache-control', 'public, max-age=31536000, immutable', 'vary', 'Accept-Encoding'];
  return textReply(requestId, found.type, found.bytes, caching);
}

/** For programs: where everything is. */
function index({ id }: FastifyRequest, { settings: { publicUrl = '' }, version }: WebPagesDesk): Reply {
  const at = (path: string) => `${publicUrl}${path}`;
  const told = {
    name: 'Domesday',
    version,
    documentation: at('/docs'),
    openapi: at(`${basePath}/openapi.json`),
    datasets: at(`${basePath}/datasets`),
    health: at('/health/ready'),
  };
  return jsonReply(id, told, ['cache-control', 'no-cache', 'vary', 'Accept, Accept-Encoding']);
}

/** Without a bundle the API and the documentation go on; whoever asked for a page is told so. */
async function told(
  request: FastifyRequest,
  { log }: WebPagesDesk,
  reply: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await reply();
  } catch (fault) {
    if (!(fault instanceof BundleNotMade)) throw fault;
    log.fault('the pages could not be bundled; `npm ci` makes them', fault.cause, request.id);
    return pageReply(request.id, notMade, 503, ['cache-control', 'no-store', 'retry-after', '30']);
  }
}

const notMade = page({
  title: 'Not there at the moment · Domesday',
  script: html``,
  body: html`<main id="main" class="single" tabindex="-1">
<h1>This page is not available at the moment</h1>
<p class="lead">The operator of this service finds the reason in its log. The API and <a href="/docs">its documentation</a> still work.</p>
</main>`,
});
