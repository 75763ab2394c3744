// Passwords: which are taken, and their argon2id hashes. Hashing runs off the event loop; only so many at once, and beyond a
// short queue nobody waits, so that a flood of sign-ins takes neither memory nor the threads that others need.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Email } from '../email.ts';
import { refuse } from '../outcome.ts';
import type { Refusal } from '../people.ts';
import { isGuessable } from './guessable-passwords.ts';

const lengthLeast = 12;
const lengthMost = 200;

/** Memory in KiB, passes, lanes. */
export type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number };

/** The least of OWASP's advice: 19 MiB, 2 passes, 1 lane. */
const usualCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };

const tagLength = 32;
const saltLength = 16;
const derive = promisify(argon2);

/** Why a password is not taken; undefined where it is. */
export function complaintAbout(password: string, email: Email, field: string): Refusal | undefined {
  const length = [...password].length;
  if (length < lengthLeast || length > lengthMost) {
    return refuse('INVALID', `Choose a password of ${lengthLeast} to ${lengthMost} characters.`, { field });
  }
  const plain = normal(password).toLowerCase();
  if (plain === email.key || plain === email.key.split('@')[0]) {
    return refuse('INVALID', 'Choose a password that is not your address.', { field });
  }
  if (isGuessable(plain)) {
    return refuse('INVALID', 'Attackers try this password first; choose another, such as four words.', {
      field,
    });
  }
  return undefined;
}

/** Two ways to type one letter are one password. */
const normal = (password: string): string => password.normalize('NFKC');

export class Passwords {
  readonly #cost: Cost;
  readonly #atOnceMost: number;
  readonly #waitingMost: number;
  readonly #waiting: (() => void)[] = [];
  /** For addresses that nobody has, so that they take as long as others. No password fits it. */
  readonly #nobodys: string;
  #running = 0;

  constructor(cost: Cost = usualCost, { atOnce = 2, waiting = 64 } = {}) {
    this.#cost = cost;
    this.#atOnceMost = atOnce;
    this.#waitingMost = waiting;
    this.#nobodys = written(cost, randomBytes(saltLength), randomBytes(tagLength));
  }

  async hash(password: string): Promise<string | Refusal> {
    const salt = randomBytes(saltLength);
    return this.#inTurn(async () => written(this.#cost, salt, await tagOf(password, salt, this.#cost)));
  }

  /** `stored` is null where nobody has the address: the same work, and never right. */
  async verify(password: string, stored: string | null): Promise<'right' | 'wrong' | Refusal> {
    const { cost, salt, tag } = readHash(stored ?? this.#nobodys);
    return this.#inTurn(async () =>
      timingSafeEqual(await tagOf(password, salt, cost), tag) && stored !== null ? 'right' : 'wrong',
    );
  }

  /** Made with other parameters than passwords are hashed with today. */
  isOutdated(stored: string): boolean {
    const { memory, passes, parallelism } = readHash(stored).cost;
    const now = this.#cost;
    return memory !== now.memory || passes !== now.passes || parallelism !== now.parallelism;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T | Refusal> {
    if (this.#running >= this.#atOnceMost) {
      if (this.#waiting.length >= this.#waitingMost) {
        return refuse('TOO_MANY', 'Many people are signing in at this moment; try again in a few seconds.', {
          retryAfterSeconds: 5,
        });
      }
      // Whoever is done hands the place on.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

function tagOf(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  return derive('argon2id', { message: normal(password), nonce: salt, tagLength, ...cost });
}

/** As everybody writes argon2id: $argon2id$v=19$m=19456,t=2,p=1$SALT$TAG */
function written({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer): string {
  const coded = [salt, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${coded.join('$')}`;
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function readHash(stored: string): { readonly cost: Cost; readonly salt: Buffer; readonly tag: Buffer } {
  const [, memory, passes, parallelism, salt, tag] = form.exec(stored) ?? [];
  if (salt === undefined || tag === undefined)
    throw new TypeError('a kept hash of a password cannot be read');
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}
