// What an API key looks like: `dd_live_`, `dd_test_`, `dd_pub_` or `dd_web_`, a secret, a checksum. The checksum refuses a mistyped
// key without a look-up; the ledger keeps only the hash of a key.

import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AdmittedKind, Mode } from './ledger.ts';

/** Gives that many unpredictable bytes; node:crypto's randomBytes in earnest. */
export type RandomBytes = (size: number) => Uint8Array;

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 18; // 144 bits, which 25 base62 digits hold
const secretLength = 25;
const checksumLength = 6;
const idBytes = 10;
const idLength = 14;
const form = /^dd_(live|test|pub|web)_[0-9A-Za-z]{31}$/;
/** Also a key with a slip in it, which still has most of the secret. */
const within = /dd_(?:live|test|pub|web)_[0-9A-Za-z]{16}/;
const prefixes = {
  live: 'dd_live_',
  test: 'dd_test_',
  publishable: 'dd_pub_',
  web: 'dd_web_',
} as const satisfies Record<AdmittedKind, string>;

type ParsedKey =
  | { readonly kind: 'key'; readonly mode: Mode; readonly key: string }
  | { readonly kind: 'malformed' };

const malformed: ParsedKey = { kind: 'malformed' };

/** Whether a text has a key in it, which is then no text to be kept or shown. */
export const holdsKey = (text: string): boolean => within.test(text);

/** Tells a key from a typing error; whether the ledger knows it is another question. */
export function parseKey(text: string): ParsedKey {
  if (!form.test(text)) return malformed;
  if (checksumOf(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return malformed;
  return { kind: 'key', mode: text.startsWith(prefixes.test) ? 'test' : 'live', key: text };
}

export function makeKey(kind: AdmittedKind, randomBytes: RandomBytes): string {
  const body = `${prefixes[kind]}${base62(randomBytes(secretBytes), secretLength)}`;
  return body + checksumOf(body);
}

/** An id that is no secret, such as `acc_…`; `web_…` is that of a key of the dashboard. */
export function makeId(prefix: 'acc' | 'key' | 'web', randomBytes: RandomBytes): string {
  return `${prefix}_${base62(randomBytes(idBytes), idLength)}`;
}

/** A key as a caller sent it; the ledger knows whether there is one. */
export type SentKey = { readonly hash: string; readonly madeFor: 'our page' | 'a customer' };

/** Undefined for what cannot be a key. */
export function readSentKey(text: string): SentKey | undefined {
  if (parseKey(text).kind === 'malformed') return undefined;
  return { hash: hashKey(text), madeFor: text.startsWith(prefixes.web) ? 'our page' : 'a customer' };
}

/** A plain SHA-256 is enough: 144 random bits cannot be guessed, so no slow hash is needed. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Constant-time, so that a reply's timing says nothing about a stored hash. */
export function isSameHash(stored: string, computed: string): boolean {
  const a = Buffer.from(stored);
  const b = Buffer.from(computed);
  return a.length === b.length && timingSafeEqual(a, b);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let i = 0; i < checksumLength; i++) {
    out = digits.charAt(rest % 62) + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

function base62(bytes: Uint8Array, length: number): string {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  let out = '';
  for (let i = 0; i < length; i++) {
    out = digits.charAt(Number(rest % 62n)) + out;
    rest /= 62n;
  }
  return out;
}
