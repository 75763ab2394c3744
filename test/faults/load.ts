// Customers who call without pause and write down what was reported to them, so that it can be held against the journal.

import assert from 'node:assert/strict';
import { openLedger } from '../../src/ledger/open.ts';
import { runDomesday } from '../rig.ts';

export type Customer = { readonly accountId: string; readonly key: string };

export async function makeCustomer(home: string): Promise<Customer> {
  const create = ['accounts', 'create', '--name', 'load', '--plan', 'enterprise', '--credits', '10000000'];
  const created = await runDomesday([...create, '--json', '--home', home]);
  const { accountId } = JSON.parse(created.out);
  const made = await runDomesday(['keys', 'create', '--account', accountId, '--json', '--home', home]);
  return { accountId, key: JSON.parse(made.out).key };
}

export type Load = {
  /** Request ids whose reply said that a credit was taken. */
  readonly reported: Set<string>;
  /** Replies by status. */
  readonly statuses: Map<number, number>;
};

export const noLoad = (): Load => ({ reported: new Set(), statuses: new Map() });

type Calling = {
  readonly url: string;
  readonly key: string;
  /** Distinguishes the request ids of one round from those of another. */
  readonly round: string;
  readonly connections: number;
  /** Called after each reply with how many there were. */
  readonly afterReply: (answered: number) => 'go on' | 'stop' | Promise<'go on' | 'stop'>;
};

/** Until `afterReply` stops it, or the service is gone. */
export async function call(load: Load, { url, key, round, connections, afterReply }: Calling): Promise<void> {
  let answered = 0;
  let isOver = false;
  const client = async (number: number) => {
    for (let count = 0; !isOver; count += 1) {
      const requestId = `${round}-${number}-${count}`;
      try {
        const reply = await fetch(`${url}/api/v1/bank-rates?limit=1`, {
          headers: { 'x-api-key': key, 'x-request-id': requestId },
        });
        // The status line with its headers is the report, whether or not the body still came through.
        if (reply.headers.get('x-credits-charged') === '1') load.reported.add(requestId);
        load.statuses.set(reply.status, (load.statuses.get(reply.status) ?? 0) + 1);
        await reply.arrayBuffer();
      } catch (error) {
        if (error instanceof TypeError) return;
        throw error;
      }
      answered += 1;
      if ((await afterReply(answered)) === 'stop') isOver = true;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => client(number)));
}

type Books = { readonly charges: number; readonly unreported: number };

/** Every reported charge stands in the journal once, nothing stands twice, and each balance is the sum of its journal. */
export async function assertBooksHold(home: string, accountId: string, { reported }: Load): Promise<Books> {
  const { ledger, accounts } = await openLedger({ home, ifMissing: 'refuse' });
  try {
    const journal = await accounts.journalOf(accountId);
    const reversed = journal.filter(({ kind }) => kind === 'reversal').length;
    const charged = journal.filter(({ kind }) => kind === 'charge').map(({ requestId }) => requestId ?? '');
    const standing = new Set(charged);
    assert.equal(standing.size, charged.length, 'a request stands twice in the journal');
    const missing = [...reported].filter((id) => !standing.has(id));
    assert.deepEqual(
      missing,
      [],
      `${missing.length} of ${reported.size} reported charges are not in the journal`,
    );
    const books = await accounts.recomputeBalances();
    assert.deepEqual(new Set(books.map(({ kind }) => kind)), new Set(['equal']));
    return { charges: charged.length, unreported: charged.length - reported.size - reversed };
  } finally {
    await ledger.close();
  }
}
