// What a start prints, and the account that a newcomer's first start makes. Its keys work, so they are shown only where
// nobody else can read or use them: on the machine itself, on a terminal, or in a file of the owner's.

import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '../../config.ts';
import { basePath } from '../../contract/endpoint.ts';
import { type Accounts, LedgerOutOfService } from '../../ledger/ledger.ts';
import { isCustomer } from '../../ledger/public-sandbox.ts';
import type { Release } from '../../release/reader.ts';
import { liveNotice } from '../../upstream/index.ts';
import type { Io } from '../command.ts';
import { version } from '../version.ts';
import { localUrl } from './left-address.ts';
import { isLoopback, releaseForLiveKeys } from './reach.ts';

type Greeting = {
  readonly settings: Settings;
  readonly port: number;
  /** Where the metrics are, if they have a port of their own. */
  readonly metrics: string | undefined;
  /** Undefined where a replica has not fetched its first one yet. */
  readonly live: Release | undefined;
  readonly accounts: Accounts;
  readonly atMs: number;
  readonly print: (text: string) => void;
  readonly isTerminal: boolean;
  readonly asTyped: Io['asTyped'];
};

export async function greet(greeting: Greeting): Promise<void> {
  const { settings, port, metrics, live, accounts, atMs, print, isTerminal, asTyped } = greeting;
  const isEverywhere = settings.host === '0.0.0.0' || settings.host === '::';
  const address = localUrl(settings.host, port);
  const reach = isEverywhere ? ` and on every other address of this machine (port ${port})` : '';
  print(`Domesday ${version} listens on ${address}${reach}\n${pagesAt(address)}`);
  print(
    live === undefined
      ? 'Data: none yet. The service is fetching its first release (DOMESDAY_RELEASES_URL).\n'
      : asTyped(`Data: release ${live.id}${sampleWords(live)}\n`),
  );
  const forLiveKeys = releaseForLiveKeys(settings, live);
  if (live !== forLiveKeys) print(notForLiveKeys);
  if (metrics !== undefined) print(`Metrics: ${metrics}\n`);
  const notice = liveNotice(settings);
  if (notice !== undefined) print(`Live: ${notice}\n`);
  try {
    if ((await accounts.listAccounts(atMs)).some(isCustomer)) return;
  } catch (error) {
    // A ledger that is still checked is no new one.
    if (error instanceof LedgerOutOfService) return;
    throw error;
  }
  const isPrivate = isLoopback(settings.host);
  if (!(settings.demoAccount === 'on' || (settings.demoAccount === 'loopback' && isPrivate))) {
    print(
      asTyped(
        'There is no account yet. Create one with `domesday accounts create`, and a key for it with `domesday keys create`.\n',
      ),
    );
    return;
  }
  const text = await makeDemo(accounts, callsTo(address, forLiveKeys), atMs);
  if (isPrivate || isTerminal) {
    print(`\nThe service made an account "demo" (Premium plan). It shows the keys only once.\n${text}`);
    return;
  }
  const file = path.join(settings.home, 'demo-keys.txt');
  // One of an earlier ledger would keep its rights.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  print(
    `The service made an account "demo" (Premium plan). Its keys are in ${file}; move them to a safe place.\n`,
  );
}

/** Calls that the release can answer, for a key. */
function callsTo(address: string, live: Release | undefined): readonly string[] {
  const examples = [
    { dataset: 'bank-rate', call: '/bank-rates?limit=1' },
    { dataset: 'postcodes', call: '/area/statistics?postcode=NP10+8WA' },
  ] as const;
  return examples
    .filter(({ dataset }) => live?.findDataset(dataset) !== undefined)
    .map(({ call }) => `${address}${basePath}${call}`);
}

/** Returns how to use it. */
async function makeDemo(accounts: Accounts, calls: readonly string[], atMs: number): Promise<string> {
  const { accountId } = await accounts.createAccount({ name: 'demo', plan: 'premium', atMs });
  const { key: liveKey } = await accounts.createKey({ accountId, kind: 'live', name: 'demo', atMs });
  const { key: testKey } = await accounts.createKey({ accountId, kind: 'test', name: 'demo', atMs });
  const live =
    calls.length === 0
      ? `The live key answers as soon as the service has data:\n\n${liveKey}`
      : `Try the live key:\n\n${calls.map((call) => `curl -H 'X-API-Key: ${liveKey}' '${call}'`).join('\n')}`;
  return `${live}

The test key is free and answers with data of a fictional town (postcode area ZZ):

${testKey}

`;
}

const pagesAt = (address: string): string => `  Start          ${address}/
  Documentation  ${address}/docs
  Account        ${address}/account
  Explore        ${address}/explore
`;

const notForLiveKeys =
  'Live keys get 503 in place of the sample until you load your own data, since others can reach this service (DOMESDAY_SAMPLE=serve serves it for a trial).\n';

function sampleWords({ manifest, datasets }: Release): string {
  const load = 'load the whole country with `domesday update`';
  if (manifest.kind === 'sample') return `, the small bundled sample; ${load}`;
  const sampled = datasets.filter(({ extent }) => extent === 'sample').map(({ name }) => name);
  return sampled.length === 0 ? '' : `; still a sample: ${sampled.join(', ')}; ${load}`;
}
