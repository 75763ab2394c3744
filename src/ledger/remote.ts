// The ledger across threads: one thread owns it, the others ask through a port. Everything asked within one
// turn of the event loop travels in one message, as do the answers.

import type { MessagePort } from 'node:worker_threads';
import {
  type Admission,
  type Call,
  type Charge,
  type ChargeResult,
  type Ledger,
  LedgerRefusal,
  LedgerUnavailable,
} from './ledger.ts';

type Question =
  | { readonly kind: 'admit'; readonly keyHash: string; readonly atMs: number }
  | { readonly kind: 'charge'; readonly charge: Charge }
  | { readonly kind: 'ready' };

type Request = { readonly number: number; readonly question: Question };
type Result = Admission | ChargeResult | { readonly kind: 'ready' };
type Response =
  | { readonly number: number; readonly result: Result }
  | { readonly number: number; readonly fault: Fault };

/** An error in a form that crosses threads and is of the same class on the other side. */
type Fault = { readonly kind: 'unavailable' | 'refused' | 'out of range'; readonly message: string };

type ToOwner = { readonly requests: readonly Request[]; readonly records: readonly Recorded[] };
type Recorded = Call & { readonly status: number };

/** Answers the questions that come through the port until it closes. */
export function serveLedger(port: MessagePort, ledger: Ledger): void {
  const reply = perTurn<Response>((responses) => port.postMessage(responses));
  port.on('message', ({ requests, records }: ToOwner) => {
    for (const record of records) ledger.record(record);
    for (const { number, question } of requests) {
      settle(ledger, question).then(
        (result) => reply({ number, result }),
        (error: unknown) => reply({ number, fault: faultOf(error) }),
      );
    }
  });
}

async function settle(ledger: Ledger, question: Question): Promise<Result> {
  switch (question.kind) {
    case 'admit':
      return ledger.admit(question.keyHash, question.atMs);
    case 'charge':
      return ledger.charge(question.charge);
    case 'ready':
      await ledger.ready();
      return { kind: 'ready' };
  }
}

function faultOf(error: unknown): Fault {
  if (error instanceof LedgerUnavailable) return { kind: 'unavailable', message: error.message };
  if (error instanceof LedgerRefusal) return { kind: 'refused', message: error.message };
  if (error instanceof RangeError) return { kind: 'out of range', message: error.message };
  return { kind: 'unavailable', message: 'The ledger failed unexpectedly.' };
}

function errorOf({ kind, message }: Fault): Error {
  if (kind === 'refused') return new LedgerRefusal(message);
  return kind === 'out of range' ? new RangeError(message) : new LedgerUnavailable(message);
}

/** The ledger as a worker thread sees it. */
export function remoteLedger(port: MessagePort): Ledger {
  type Waiting = { resolve: (result: Result) => void; reject: (error: Error) => void };
  const waiting = new Map<number, Waiting>();
  let records: Recorded[] = [];
  let lastNumber = 0;
  const post = perTurn<Request | 'records'>((items) => {
    port.postMessage({ requests: items.filter((item) => item !== 'records'), records } satisfies ToOwner);
    records = [];
  });
  port.on('message', (responses: readonly Response[]) => {
    for (const response of responses) {
      const asker = waiting.get(response.number);
      waiting.delete(response.number);
      if ('result' in response) asker?.resolve(response.result);
      else asker?.reject(errorOf(response.fault));
    }
  });
  let isOpen = true;
  port.on('close', () => {
    isOpen = false;
    for (const { reject } of waiting.values()) reject(gone());
    waiting.clear();
  });
  const ask = (question: Question) =>
    new Promise<Result>((resolve, reject) => {
      if (!isOpen) {
        reject(gone());
        return;
      }
      lastNumber += 1;
      waiting.set(lastNumber, { resolve, reject });
      post({ number: lastNumber, question });
    });

  return {
    admit: async (keyHash, atMs) => {
      const result = await ask({ kind: 'admit', keyHash, atMs });
      if (result.kind === 'unknown' || result.kind === 'limited' || result.kind === 'admitted') return result;
      throw misanswered();
    },
    charge: async (charge) => {
      const result = await ask({ kind: 'charge', charge });
      if (result.kind === 'charged' || result.kind === 'insufficient') return result;
      throw misanswered();
    },
    record: (call) => {
      records.push(call);
      if (records.length === 1) post('records');
    },
    ready: async () => {
      await ask({ kind: 'ready' });
    },
    close: async () => {
      if (!isOpen) return;
      // One more round trip: whatever was posted before has then been taken.
      const taken = ask({ kind: 'ready' });
      isOpen = false;
      await taken;
      port.close();
    },
  };
}

const gone = () => new LedgerUnavailable('The ledger is closed.');
const misanswered = () => new LedgerUnavailable('The ledger thread answered another question.');

/** Collects items until the turn of the event loop ends, then hands them over together. */
function perTurn<T>(handOver: (items: readonly T[]) => void): (item: T) => void {
  let items: T[] = [];
  return (item) => {
    items.push(item);
    if (items.length > 1) return;
    setImmediate(() => {
      const batch = items;
      items = [];
      handOver(batch);
    });
  };
}
