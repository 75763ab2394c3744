// A police service on this machine: it replays answers in the form of the real one, and misbehaves on demand.

import { createServer, type ServerResponse } from 'node:http';
import { type Patience, patienceOfCaller } from './patience.ts';

export type Mood =
  | 'well'
  | 'silent'
  | 'cut'
  | 'junk'
  | 'odd'
  | 'endless'
  | 'elsewhere'
  | 429
  | 503
  | 404
  | 400;

export type PoliceServer = {
  readonly url: string;
  /** Addresses asked for, with the moment. */
  readonly asked: { readonly address: string; readonly atMs: number }[];
  /** How the next requests are answered, one after the other; then well. */
  readonly moods: Mood[];
  /** How requests are answered when `moods` is empty. */
  mood: Mood;
  /** What 429 asks for. */
  retryAfterSeconds: number;
  /** Bytes of answers without end that were taken. */
  readonly taken: { bytes: number };
  /** Of whoever asks it: over when a question is met with silence. */
  readonly patience: Patience;
  close(): Promise<void>;
};

export const crime = (
  month: string,
  category: string,
  at: readonly [number, number] = [51.5, -0.1],
  more: object = {},
) => ({
  category,
  location_type: 'Force',
  location: {
    latitude: at[0].toFixed(6),
    longitude: at[1].toFixed(6),
    street: { id: 1, name: 'On or near Quayside' },
  },
  context: '',
  outcome_status: { category: 'Under investigation', date: month },
  persistent_id: 'a'.repeat(64),
  id: 1,
  location_subtype: '',
  month,
  ...more,
});

type Answers = {
  /** Newest first, as the service lists them. */
  readonly months: readonly string[];
  readonly force: string | undefined;
  readonly crimes: (month: string) => readonly object[];
};

export async function openPoliceServer({ months, force, crimes }: Answers): Promise<PoliceServer> {
  const asked: PoliceServer['asked'] = [];
  const moods: Mood[] = [];
  const server = createServer((request, response) => {
    const address = request.url ?? '';
    asked.push({ address, atMs: performance.now() });
    const url = new URL(address, 'http://localhost');
    const body = () => {
      if (url.pathname === '/api/crimes-street-dates')
        return months.map((date) => ({ date, 'stop-and-search': [] }));
      if (url.pathname === '/api/locate-neighbourhood')
        return force === undefined ? undefined : { force, neighbourhood: 'x1' };
      return crimes(url.searchParams.get('date') ?? '');
    };
    answer(response, moods.shift() ?? police.mood, body(), police);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const police: PoliceServer = {
    url: `http://127.0.0.1:${port}/api`,
    asked,
    moods,
    mood: 'well',
    retryAfterSeconds: 1,
    taken: { bytes: 0 },
    patience: patienceOfCaller(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return police;
}

function answer(
  response: ServerResponse,
  mood: Mood,
  body: unknown,
  { retryAfterSeconds, taken, url, patience }: PoliceServer,
): void {
  const json = JSON.stringify(body);
  if (typeof mood === 'number') {
    response.writeHead(mood, mood === 429 ? { 'retry-after': String(retryAfterSeconds) } : {}).end();
    return;
  }
  switch (mood) {
    case 'silent':
      patience.meetSilence();
      return;
    case 'cut':
      response.writeHead(200, { 'content-length': '1000' });
      response.write('[{"category":');
      response.socket?.destroy();
      return;
    case 'junk':
      response.writeHead(200).end('<html>Maintenance</html>');
      return;
    case 'odd':
      response.writeHead(200).end('{"error":"none"}');
      return;
    case 'endless':
      response.writeHead(200);
      streamWithoutEnd(response, taken);
      return;
    case 'elsewhere':
      response.writeHead(302, { location: `${url.replace('127.0.0.1', 'localhost')}/elsewhere` }).end();
      return;
    default:
      if (body === undefined) response.writeHead(404).end('Not Found');
      else response.writeHead(200, { 'content-type': 'application/json' }).end(json);
  }
}

/** Only what is taken is sent, so that the count is the reader's. */
function streamWithoutEnd(response: ServerResponse, taken: PoliceServer['taken']): void {
  const chunk = Buffer.alloc(65_536, ' ');
  const more = () => {
    if (response.destroyed) return;
    response.write(chunk, (error) => {
      if (error) return;
      taken.bytes += chunk.length;
      more();
    });
  };
  more();
}
