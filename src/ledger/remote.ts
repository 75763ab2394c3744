// The ledger across threads: one thread owns it, the others ask through a port. Everything asked within one turn of
// the event loop travels in one message, as do the answers.

import type { MessagePort } from 'node:worker_threads';
import {
  type Accounts,
  type Admission,
  type Call,
  type Charge,
  type ChargeResult,
  KeysFull,
  type Ledger,
  LedgerOutOfService,
  LedgerRefusal,
  LedgerUnavailable,
  ledgerClosed,
  type OpenLedger,
  type Recollection,
  type WindowUse,
} from './ledger.ts';

/** Both halves of a ledger. */
export type LedgerHalves = Pick<OpenLedger, 'ledger' | 'accounts'>;

type AccountQuestions = {
  readonly [N in keyof Accounts]: {
    readonly args: Parameters<Accounts[N]>;
    readonly result: Awaited<ReturnType<Accounts[N]>>;
  };
};

/** What can be asked through the port, and what comes back. */
type Questions = AccountQuestions & {
  readonly admit: { readonly args: readonly [keyHash: string, atMs: number]; readonly result: Admission };
  readonly admitVisitor: { readonly args: Parameters<Ledger['admitVisitor']>; readonly result: Admission };
  readonly visitorWindows: {
    readonly args: Parameters<Ledger['visitorWindows']>;
    readonly result: readonly WindowUse[];
  };
  readonly admitPage: { readonly args: Parameters<Ledger['admitPage']>; readonly result: Admission };
  readonly recall: { readonly args: Parameters<Ledger['recall']>; readonly result: Recollection };
  readonly charge: { readonly args: readonly [charge: Charge]; readonly result: ChargeResult };
  readonly chargeTogether: {
    readonly args: readonly [charges: readonly Charge[]];
    readonly result: readonly (ChargeResult | Trouble)[];
  };
  readonly ready: { readonly args: readonly []; readonly result: undefined };
};
type Name = keyof Questions;

type Request<N extends Name = Name> = {
  readonly [K in N]: { readonly number: number; readonly name: K; readonly args: Questions[K]['args'] };
}[N];

/** A request on its way, where nobody needs to know which arguments belong to which name. */
type Sent = Pick<Request, keyof Request>;

type Answer<N extends Name = Name> = {
  readonly [K in N]: { readonly number: number; readonly name: K; readonly result: Questions[K]['result'] };
}[N];

/** An error in a form that crosses threads and is of the same class on the other side. */
type Trouble = {
  readonly fault: LedgerOutOfService['howLong'] | 'unavailable' | 'refused' | 'keys full' | 'out of range';
  readonly message: string;
};
type Fault = Trouble & { readonly number: number; readonly name: Name };

type Recorded = Call & { readonly status: number };
type ToOwner = { readonly requests: readonly Request[]; readonly records: readonly Recorded[] };
type FromOwner = readonly (Answer | Fault)[];

type Answerers = {
  readonly [N in Name]: (
    args: Questions[N]['args'],
  ) => Questions[N]['result'] | Promise<Questions[N]['result']>;
};

/** Answers the questions that come through the port until it closes. */
export function serveLedger(port: MessagePort, halves: LedgerHalves): void {
  const answerers = answerersOf(halves);
  const reply = perTurn<Answer | Fault>((answers) => port.postMessage(answers satisfies FromOwner));
  port.on('message', ({ requests, records }: ToOwner) => {
    for (const record of records) halves.ledger.record(record);
    for (const request of requests) {
      answer(answerers, request).then(reply, (error: unknown) => {
        const { number, name } = request;
        reply({ number, name, ...troubleOf(error) });
      });
    }
  });
}

async function answer<N extends Name>(answerers: Answerers, request: Request<N>): Promise<Answer<N>> {
  const { number, name, args } = request;
  return { number, name, result: await answerers[name](args) };
}

function answerersOf({ ledger, accounts }: LedgerHalves): Answerers {
  return {
    admit: ([keyHash, atMs]) => ledger.admit(keyHash, atMs),
    admitVisitor: (args) => ledger.admitVisitor(...args),
    visitorWindows: (args) => ledger.visitorWindows(...args),
    admitPage: (args) => ledger.admitPage(...args),
    recall: (args) => ledger.recall(...args),
    charge: ([charge]) => ledger.charge(charge),
    chargeTogether: async ([charges]) => {
      const results = await ledger.chargeTogether(charges);
      return results.map((result) => (result instanceof Error ? troubleOf(result) : result));
    },
    ready: async () => {
      await ledger.ready();
      return undefined;
    },
    createAccount: (args) => accounts.createAccount(...args),
    openPublicSandbox: async (args) => {
      await accounts.openPublicSandbox(...args);
      return undefined;
    },
    openGuests: (args) => accounts.openGuests(...args),
    listAccounts: (args) => accounts.listAccounts(...args),
    accountPage: (args) => accounts.accountPage(...args),
    findAccount: (args) => accounts.findAccount(...args),
    changePlan: (args) => accounts.changePlan(...args),
    grantCredits: (args) => accounts.grantCredits(...args),
    renameAccount: (args) => accounts.renameAccount(...args),
    closeAccount: (args) => accounts.closeAccount(...args),
    createKey: (args) => accounts.createKey(...args),
    listKeys: (args) => accounts.listKeys(...args),
    revokeKey: (args) => accounts.revokeKey(...args),
    rotateKey: (args) => accounts.rotateKey(...args),
    journalOf: (args) => accounts.journalOf(...args),
    usageOf: (args) => accounts.usageOf(...args),
    sumUsage: (args) => accounts.sumUsage(...args),
    windowsOf: (args) => accounts.windowsOf(...args),
    suspendAccount: (args) => accounts.suspendAccount(...args),
    resumeAccount: (args) => accounts.resumeAccount(...args),
    createWebKey: (args) => accounts.createWebKey(...args),
    sharedWebKey: (args) => accounts.sharedWebKey(...args),
    findKey: (args) => accounts.findKey(...args),
    changeKey: (args) => accounts.changeKey(...args),
    keyUse: (args) => accounts.keyUse(...args),
    accountsUse: (args) => accounts.accountsUse(...args),
    backups: (args) => accounts.backups(...args),
    monthTotals: (args) => accounts.monthTotals(...args),
    statement: (args) => accounts.statement(...args),
    journalPage: (args) => accounts.journalPage(...args),
    recomputeBalances: (args) => accounts.recomputeBalances(...args),
  };
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof LedgerOutOfService) return { fault: error.howLong, message: error.message };
  if (error instanceof LedgerUnavailable) return { fault: 'unavailable', message: error.message };
  if (error instanceof KeysFull) return { fault: 'keys full', message: error.message };
  if (error instanceof LedgerRefusal) return { fault: 'refused', message: error.message };
  if (error instanceof RangeError) return { fault: 'out of range', message: error.message };
  return { fault: 'unavailable', message: 'The ledger failed unexpectedly.' };
}

function errorOf({ fault, message }: Trouble): Error {
  if (fault === 'keys full') return new KeysFull(message);
  if (fault === 'refused') return new LedgerRefusal(message);
  if (fault === 'out of range') return new RangeError(message);
  return fault === 'unavailable' ? new LedgerUnavailable(message) : new LedgerOutOfService(message, fault);
}

type Asker<N extends Name> = {
  readonly resolve: (result: Questions[N]['result']) => void;
  readonly reject: (error: Error) => void;
};

/** Who waits for an answer, by question, so that each gets an answer of its own type. */
type Waiting = { readonly [N in Name]: Map<number, Asker<N>> };

/** Both halves as a worker thread sees them. Closing the ledger closes the port. */
export function remoteLedger(port: MessagePort): LedgerHalves {
  const waiting = nobodyWaiting();
  let records: Recorded[] = [];
  let lastNumber = 0;
  let isOpen = true;
  const post = perTurn<Sent | 'records'>((items) => {
    port.postMessage({ requests: items.filter((item) => item !== 'records'), records });
    records = [];
  });
  port.on('message', (answers: FromOwner) => {
    for (const each of answers) {
      if ('fault' in each) take(waiting, each)?.reject(errorOf(each));
      else settle(waiting, each);
    }
  });
  port.on('close', () => {
    isOpen = false;
    for (const askers of Object.values(waiting)) {
      for (const { reject } of askers.values()) reject(ledgerClosed());
      askers.clear();
    }
  });
  const ask = <N extends Name>(name: N, args: Questions[N]['args']) =>
    new Promise<Questions[N]['result']>((resolve, reject) => {
      if (!isOpen) {
        reject(ledgerClosed());
        return;
      }
      lastNumber += 1;
      waiting[name].set(lastNumber, { resolve, reject });
      post({ number: lastNumber, name, args });
    });

  return {
    accounts: remoteAccounts(ask),
    ledger: {
      admit: (...args) => ask('admit', args),
      admitVisitor: (...args) => ask('admitVisitor', args),
      visitorWindows: (...args) => ask('visitorWindows', args),
      admitPage: (...args) => ask('admitPage', args),
      recall: (...args) => ask('recall', args),
      charge: (...args) => ask('charge', args),
      chargeTogether: async (...args) => {
        const results = await ask('chargeTogether', args);
        return results.map((result) => ('fault' in result ? errorOf(result) : result));
      },
      record: (call) => {
        records.push(call);
        if (records.length === 1) post('records');
      },
      ready: () => ask('ready', []),
      close: async () => {
        if (!isOpen) return;
        // One more round trip: whatever was posted before has then been taken.
        const taken = ask('ready', []);
        isOpen = false;
        await taken;
        port.close();
      },
    },
  };
}

function settle<N extends Name>(waiting: Waiting, answer: Answer<N>): void {
  take(waiting, answer)?.resolve(answer.result);
}

function take<N extends Name>(
  waiting: Waiting,
  { name, number }: { readonly name: N; readonly number: number },
): Asker<N> | undefined {
  const askers: Map<number, Asker<N>> = waiting[name];
  const asker = askers.get(number);
  askers.delete(number);
  return asker;
}

type Ask = <N extends Name>(name: N, args: Questions[N]['args']) => Promise<Questions[N]['result']>;

function remoteAccounts(ask: Ask): Accounts {
  return {
    createAccount: (...args) => ask('createAccount', args),
    openPublicSandbox: (...args) => ask('openPublicSandbox', args),
    openGuests: (...args) => ask('openGuests', args),
    listAccounts: (...args) => ask('listAccounts', args),
    accountPage: (...args) => ask('accountPage', args),
    findAccount: (...args) => ask('findAccount', args),
    changePlan: (...args) => ask('changePlan', args),
    grantCredits: (...args) => ask('grantCredits', args),
    renameAccount: (...args) => ask('renameAccount', args),
    closeAccount: (...args) => ask('closeAccount', args),
    createKey: (...args) => ask('createKey', args),
    listKeys: (...args) => ask('listKeys', args),
    revokeKey: (...args) => ask('revokeKey', args),
    rotateKey: (...args) => ask('rotateKey', args),
    journalOf: (...args) => ask('journalOf', args),
    usageOf: (...args) => ask('usageOf', args),
    sumUsage: (...args) => ask('sumUsage', args),
    windowsOf: (...args) => ask('windowsOf', args),
    suspendAccount: (...args) => ask('suspendAccount', args),
    resumeAccount: (...args) => ask('resumeAccount', args),
    createWebKey: (...args) => ask('createWebKey', args),
    sharedWebKey: (...args) => ask('sharedWebKey', args),
    findKey: (...args) => ask('findKey', args),
    changeKey: (...args) => ask('changeKey', args),
    keyUse: (...args) => ask('keyUse', args),
    accountsUse: (...args) => ask('accountsUse', args),
    backups: (...args) => ask('backups', args),
    monthTotals: (...args) => ask('monthTotals', args),
    statement: (...args) => ask('statement', args),
    journalPage: (...args) => ask('journalPage', args),
    recomputeBalances: (...args) => ask('recomputeBalances', args),
  };
}

function nobodyWaiting(): Waiting {
  return {
    admit: new Map(),
    admitVisitor: new Map(),
    visitorWindows: new Map(),
    admitPage: new Map(),
    recall: new Map(),
    charge: new Map(),
    chargeTogether: new Map(),
    ready: new Map(),
    createAccount: new Map(),
    openPublicSandbox: new Map(),
    openGuests: new Map(),
    listAccounts: new Map(),
    accountPage: new Map(),
    findAccount: new Map(),
    changePlan: new Map(),
    grantCredits: new Map(),
    renameAccount: new Map(),
    closeAccount: new Map(),
    createKey: new Map(),
    listKeys: new Map(),
    revokeKey: new Map(),
    rotateKey: new Map(),
    journalOf: new Map(),
    usageOf: new Map(),
    sumUsage: new Map(),
    windowsOf: new Map(),
    suspendAccount: new Map(),
    resumeAccount: new Map(),
    createWebKey: new Map(),
    sharedWebKey: new Map(),
    findKey: new Map(),
    changeKey: new Map(),
    keyUse: new Map(),
    accountsUse: new Map(),
    backups: new Map(),
    monthTotals: new Map(),
    statement: new Map(),
    journalPage: new Map(),
    recomputeBalances: new Map(),
  };
}

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
