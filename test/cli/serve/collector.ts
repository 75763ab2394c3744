// A collector of OpenTelemetry for tests: a real HTTP server that takes traces, or misbehaves in every way that one can.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';

export type Mood =
  | 'well'
  | 'partial'
  | 'garbage'
  | 'endless'
  | 'cut'
  | 'silent'
  | 'redirect'
  | 400
  | 401
  | 404
  | 429
  | 500
  | 503;

export const moods: readonly Mood[] = [
  'well',
  'partial',
  'garbage',
  'endless',
  'cut',
  'silent',
  'redirect',
  400,
  401,
  404,
  429,
  500,
  503,
];

type Taken = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

export type Collector = {
  readonly url: string;
  mood: Mood;
  /** Everything that was sent to it, whatever it answered. */
  readonly taken: Taken[];
  /** Resolves when so many requests have come. */
  readonly came: (requests: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openCollector(mood: Mood = 'well'): Promise<Collector> {
  const taken: Taken[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    taken.push({ path: request.url ?? '', headers: request.headers, body });
    for (const look of waiting) look();
    const { mood: now } = collector;
    if (now === 'silent') return;
    if (now === 'cut') response.destroy();
    else if (now === 'endless') {
      response.writeHead(200);
      const more = () => {
        if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(more));
      };
      more();
    } else if (now === 'redirect') response.writeHead(307, { location: '/elsewhere' }).end();
    else if (now === 'partial') response.end('{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}');
    else if (now === 'garbage') response.end('<html>');
    else if (now === 'well') response.end('{}');
    else response.writeHead(now, { 'retry-after': '0' }).end('no');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const collector: Collector = {
    url: `http://127.0.0.1:${port}`,
    mood,
    taken,
    came: (requests) =>
      new Promise((resolve) => {
        const look = () => {
          if (taken.length >= requests) resolve();
        };
        waiting.push(look);
        look();
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly { readonly key: string; readonly value: Readonly<Record<string, string>> }[];
  readonly status?: { readonly code: number };
};

/** Of all that was sent to it. */
export const spansOf = ({ taken }: Collector): readonly Span[] =>
  taken.flatMap(({ body }) => {
    const { resourceSpans } = JSON.parse(body);
    return resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    );
  });

export const attributesOf = ({ attributes = [] }: Span): Readonly<Record<string, string>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));
