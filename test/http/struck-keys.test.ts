// No form of a key reaches the log, wherever a caller puts it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Log } from '../../src/http/observe/log.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
before(async () => {
  rig = await openRig({ failedKeysPerMinute: 1_000_000 });
});
after(() => rig.close());

const secret = fc.string({ unit: fc.constantFrom(...'abcXYZ0189'), minLength: 31, maxLength: 31 });
const key = fc.tuple(fc.constantFrom('live', 'test', 'pub', 'web', 'admin'), secret);

/** Percent-encodes the signs that the mask names, again and again. */
function encoded(text: string, masks: readonly number[]): string {
  return masks.reduce(
    (form, mask) =>
      Array.from(form)
        .map((sign, at) => {
          if ((mask >> (at % 31)) % 2 === 0 && sign !== '%') return sign;
          const hex = sign.charCodeAt(0).toString(16);
          return `%${at % 2 === 0 ? hex : hex.toUpperCase()}`;
        })
        .join(''),
    text,
  );
}
const masks = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { maxLength: 4 });

/** Undoes what `encoded` does, as a reader of the log could. */
function readings(text: string): string {
  const all = [text];
  for (let level = 0; level < 6; level += 1) {
    all.push(
      all[level]?.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))) ?? '',
    );
  }
  return all.join('\n');
}

test('in a path, a query, a header, a request id: its secret cannot be read from the log', async () => {
  await fc.assert(
    fc.asyncProperty(
      key,
      masks,
      fc.constantFrom('/', '/api/v1/', '/docs/errors/'),
      async ([kind, text], by, base) => {
        const whole = `dd_${kind}_${text}`;
        const form = encoded(whole, by);
        rig.logLines.length = 0;
        await rig.get(`${base}${form}`, form, { 'user-agent': form, authorization: `Bearer ${form}` });
        await rig.get(`${base}x${form}.html?key=${form}`, undefined, { 'x-request-id': form });
        await rig.get(`/api/v1/bank-rates?${form}=${form}`, form, {
          'x-request-id': `user:${whole}@example`,
        });
        for (const encoding of ['base64', 'base64url', 'hex'] as const) {
          for (const before of ['', 'a', 'ab', 'abc']) {
            const hidden = Buffer.from(before + whole).toString(encoding);
            await rig.get('/health/live', undefined, { 'x-request-id': hidden });
            assert.equal(rig.logLines.join('').includes(hidden), false, `${encoding} of ${before}${whole}`);
          }
        }
        assert.equal(rig.logLines.length, 15);
        assert.equal(readings(rig.logLines.join('')).includes(text.slice(0, 16)), false, form);
      },
    ),
    { numRuns: 60 },
  );
});

test('in the message or the stack of a fault, its secret cannot be read either', () => {
  fc.assert(
    fc.property(key, masks, fc.string(), ([kind, text], by, around) => {
      const lines: string[] = [];
      const log = new Log({ log: 'debug', slowRequestMs: 1 }, (line) => lines.push(line), Date.now);
      const form = encoded(`dd_${kind}_${text}`, by);
      log.fault('request failed', new Error(`${around} no such thing: ${form}`, { cause: new Error(form) }));
      log.warn(`"${form}" was asked for`);
      assert.equal(readings(lines.join('')).includes(text.slice(0, 16)), false, form);
      for (const line of lines) JSON.parse(line);
    }),
    { numRuns: 500 },
  );
});

test('plain paths are shown as they came, and what a caller names its request is kept where it is no key', async () => {
  rig.logLines.length = 0;
  const id = '4bf92f3577b34da6a3ce929d0e0e4736';
  await rig.get('/api/v1/no-such-thing.php', undefined, { 'x-request-id': id });
  const { path, requestId } = JSON.parse(rig.logLines[0] ?? '');
  assert.deepEqual([path, requestId], ['/api/v1/no-such-thing.php', id]);
});
