// What a command may ask of the service that owns its home: these calls, by name, and no other. Where no service runs, the
// command makes the same calls in its own process, over the same list.

import type { Accounts } from '../ledger/ledger.ts';
import type { Journals } from '../ledger/told/journals.ts';
import type { Audit, Joining, Mail, Members, Persons, PlanPrices } from '../people/people.ts';

/** Settings of the service, which need not be those of the command. */
type Policy = {
  readonly signUp: Joining['signUpPolicy'];
  readonly mail: Joining['mail'];
};

type Callable = {
  readonly accounts: Accounts;
  readonly journals: Journals;
  readonly persons: Persons;
  readonly members: Members;
  readonly planPrices: PlanPrices;
  readonly audit: Audit;
  readonly mail: Mail;
  readonly joining: { policy(): Promise<Policy> };
  /** Ends keys of the dashboard whose session or person is gone. */
  readonly pageKeys: { endOrphans(): Promise<void> };
  /** The database as a file of its own, which the command writes where it was told to. */
  readonly copies: { database(): Chunks };
  /** When one was last made. */
  readonly backups: { note(atMs: number): Promise<void> };
  readonly people: { count(): Promise<{ readonly people: number; readonly operators: number }> };
};

/** Whoever takes them slowly holds up whoever makes them, and nobody else. */
export type Chunks = AsyncIterable<Uint8Array>;

const calls = {
  accounts: [
    'backups',
    'changeKey',
    'changePlan',
    'closeAccount',
    'createAccount',
    'createKey',
    'findAccount',
    'findKey',
    'grantCredits',
    'journalOf',
    'listAccounts',
    'listKeys',
    'recomputeBalances',
    'renameAccount',
    'resumeAccount',
    'revokeKey',
    'rotateKey',
    'suspendAccount',
    'windowsOf',
  ],
  journals: ['planTrim', 'trim', 'verify'],
  persons: ['erase', 'eraseAddress', 'findByEmail', 'list', 'setStanding'],
  members: ['dropInvites', 'invite', 'ownedAlone'],
  planPrices: ['all', 'clear', 'set'],
  audit: ['write'],
  mail: ['links', 'sendDue'],
  joining: ['policy'],
  pageKeys: ['endOrphans'],
  people: ['count'],
  copies: ['database'],
  backups: ['note'],
} as const satisfies { readonly [Room in keyof Callable]: readonly (keyof Callable[Room])[] };

type Room = keyof typeof calls;

/** What commands work with. */
export type Operator = {
  readonly [R in Room]: Pick<Callable[R], Extract<(typeof calls)[R][number], keyof Callable[R]>>;
};

/** Each is opened when it is first asked for. */
export type Rooms = { readonly [R in Room]: () => Promise<Operator[R]> };

/** Arguments and results are plain data, so that they are the same on the other side of a socket. */
export type Call = { readonly room: string; readonly name: string; readonly args: readonly unknown[] };

/** It is not on the list. */
export class NoSuchCall extends Error {
  override name = 'NoSuchCall';
}

/** Tells what the call tells: a value later, or chunks. */
export async function perform(rooms: Rooms, { room, name, args }: Call): Promise<unknown> {
  if (!isRoom(room) || !namesIn(room).includes(name))
    throw new NoSuchCall(`There is no call ${room}.${name}.`);
  const target = await rooms[room]();
  return Reflect.apply(Reflect.get(target, name), target, args);
}

const isRoom = (room: string): room is Room => Object.hasOwn(calls, room);
const namesIn = (room: Room): readonly string[] => calls[room];

type Carried = {
  readonly ask: (call: Call) => Promise<unknown>;
  readonly take: (call: Call) => Chunks;
};

/** An operator whose calls are carried out so. */
export function operatorBy({ ask, take }: Carried): Operator {
  // An object made from a list has no type of its own; the list was held against the types of the calls above.
  return Object.fromEntries(
    Object.entries(calls).map(([room, names]): readonly unknown[] => [
      room,
      Object.fromEntries(
        names.map((name) => {
          const carry = room === 'copies' ? take : ask;
          return [name, (...args: readonly unknown[]) => carry({ room, name, args })];
        }),
      ),
    ]),
  );
}

/** An operator in this process. */
export const operatorIn = (rooms: Rooms): Operator =>
  operatorBy({
    ask: (call) => perform(rooms, call),
    take: async function* (call) {
      yield* chunksIn(await perform(rooms, call));
    },
  });

/** Nothing else travels in chunks. */
export async function* chunksIn(told: unknown): Chunks {
  if (!isStream(told)) throw new TypeError('The call told a value where chunks were expected.');
  for await (const chunk of told) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('A chunk is bytes.');
    yield chunk;
  }
}

export const isStream = (told: unknown): told is AsyncIterable<unknown> =>
  typeof told === 'object' && told !== null && Symbol.asyncIterator in told;
