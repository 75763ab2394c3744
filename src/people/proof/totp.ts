// Codes that change every 30 seconds (RFC 6238 with SHA-1 and six digits, which every authenticator app has).

import { createHmac, timingSafeEqual } from 'node:crypto';

const stepMs = 30_000;
const digits = 6;
/** A clock may be so many steps off, either way. */
const drift = 1;
/** A code that was used so many steps ahead (15 minutes) was used under a clock that was wrong, and rules out none of today's. */
export const stepsAheadMost = 30;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Bytes of a secret: as many as the hash has. */
export const secretLength = 20;

export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => alphabet.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('');
}

export function fromBase32(text: string): Uint8Array {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (eight) => Number.parseInt(eight, 2));
}

export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const at = digest.readUInt8(digest.length - 1) & 0xf;
  const number = (digest.readUInt32BE(at) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, '0');
}

/** The step that a code is of, if it is after `lastStep`: whoever saw a code typed cannot use it again. */
export function findStep(
  secret: Uint8Array,
  code: string,
  { atMs, lastStep }: { readonly atMs: number; readonly lastStep: number | null },
): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const now = Math.floor(atMs / stepMs);
  const steps = Array.from({ length: 2 * drift + 1 }, (_, index) => now - drift + index);
  return steps.find(
    (step) =>
      step >= 0 &&
      (lastStep === null || step > lastStep || lastStep > step + stepsAheadMost) &&
      timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code)),
  );
}

/** What an authenticator app reads from a QR code. */
export function uriOf(secret: string, email: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`;
}
