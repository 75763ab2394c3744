// Passwords, codes and counts by themselves: rules, published vectors, and a naive model of the throttle.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { deviceOf } from '../../src/people/device.ts';
import { parseEmail } from '../../src/people/email.ts';
import { complaintAbout, Passwords } from '../../src/people/proof/passwords.ts';
import { type Rule, Throttle } from '../../src/people/proof/throttle.ts';
import { base32, codeAt, findStep, fromBase32, uriOf } from '../../src/people/proof/totp.ts';
import { dayMs, hourMs } from '../../src/time.ts';
import { cheap, sqlite } from './house.ts';

const email = { typed: 'Ann.Smith@Example.com', key: 'ann.smith@example.com' };

describe('passwords', () => {
  it('takes 12 to 200 characters, none of the common ones, and not the address', () => {
    const isTaken = (password: string) => complaintAbout(password, email, 'password') === undefined;
    const good = [
      'violet harbour lantern',
      'x7#kQ9!mZ2@p',
      'Überraschung im Wald',
      'password manager wrote this',
      '🦊🦊🦊 jumps over it',
    ];
    const bad = [
      'short',
      'elevenchars',
      'x'.repeat(201),
      'password1234',
      'Password123!',
      'P@ssw0rd2024',
      'qwertyuiop12',
      '123456789012',
      '987654321098',
      'abcdefghijkl',
      'iloveyou2024!',
      'aaaaaaaaaaaa',
      'abcabcabcabc',
      'dragondragon',
      'LetMeInNow1!',
      'Ann.Smith@example.com',
    ];
    assert.deepEqual(
      good.filter((password) => !isTaken(password)),
      [],
    );
    assert.deepEqual(bad.filter(isTaken), []);
  });

  it('only the very password fits its hash, however its letters are composed', async () => {
    const passwords = new Passwords(cheap);
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme' }),
        async (one, other) => {
          const hash = await passwords.hash(one);
          assert.ok(typeof hash === 'string');
          assert.equal(await passwords.verify(one.normalize('NFD'), hash), 'right');
          const isSame = one.normalize('NFKC') === other.normalize('NFKC');
          assert.equal(await passwords.verify(other, hash), isSame ? 'right' : 'wrong');
          assert.equal(await passwords.verify(one, null), 'wrong');
        },
      ),
      { numRuns: 50 },
    );
  });

  it('hashes cost what they should: 19 MiB, two passes, one lane', async () => {
    assert.match(
      String(await new Passwords().hash('violet harbour')),
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/,
    );
  });

  it('beyond those that run and wait, nobody waits: they are told to come back', async () => {
    const passwords = new Passwords(cheap, { atOnce: 2, waiting: 3 });
    const outcomes = await Promise.all(Array.from({ length: 9 }, () => passwords.hash('violet harbour')));
    assert.deepEqual(
      outcomes.map((outcome) => typeof outcome),
      [...Array(5).fill('string'), ...Array(4).fill('object')],
    );
    assert.deepEqual(
      outcomes.flatMap((outcome) =>
        typeof outcome === 'string' ? [] : [[outcome.code, outcome.retryAfterSeconds]],
      ),
      Array(4).fill(['TOO_MANY', 5]),
    );
    assert.equal(typeof (await passwords.hash('violet harbour')), 'string');
  });
});

describe('codes of an authenticator app', () => {
  const secret = Buffer.from('12345678901234567890');

  it('are those of RFC 6238', () => {
    const vectors = new Map([
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ]);
    for (const [seconds, code] of vectors) assert.equal(codeAt(secret, Math.floor(seconds / 30)), code);
  });

  it('are taken within a step of now, and only after the last one that was used', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 100_000 }),
        fc.integer({ min: -4, max: 4 }),
        fc.option(fc.integer({ min: -4, max: 4 })),
        (now, off, last) => {
          const step = now + 10 + off;
          const lastStep = last === null ? null : now + 10 + last;
          const found = findStep(secret, codeAt(secret, step), {
            atMs: (now + 10) * 30_000 + 12_345,
            lastStep,
          });
          const allowed = [-1, 0, 1]
            .map((drift) => now + 10 + drift)
            .filter((each) => lastStep === null || each > lastStep);
          // Another step may by chance have the same digits.
          assert.equal(
            found,
            allowed.find((each) => codeAt(secret, each) === codeAt(secret, step)),
          );
        },
      ),
    );
    for (const text of ['', '12345', '1234567', 'abcdef', '٠٧٠٨١٨']) {
      assert.equal(findStep(secret, text, { atMs: 59_000, lastStep: null }), undefined);
    }
  });

  it('secrets are written in base 32, as RFC 4648 has it, and read back', () => {
    assert.equal(base32(Buffer.from('foobar')), 'MZXW6YTBOI');
    fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.deepEqual(fromBase32(base32(bytes)), bytes)));
    const uri = new URL(uriOf('ABC', 'ann+x@example.com', 'Domesday'));
    assert.equal(uri.searchParams.get('secret'), 'ABC');
    assert.equal(decodeURIComponent(uri.pathname), '/Domesday:ann+x@example.com');
  });
});

describe('the throttle', () => {
  it('counts as a plain list of failures would, in any order of tries, successes and pauses', async () => {
    const rule = { free: 2, firstWaitMs: 1_000, waitMostMs: 10_000, forgetOneEveryMs: 20_000 };
    const { database, remove } = await sqlite.open();
    try {
      const throttle = new Throttle(database);
      let run = 0;
      const step = fc.record({
        who: fc.nat({ max: 2 }),
        pauseMs: fc.oneof(
          fc.constantFrom(0, 1, 999, 1_000, 4_000, 10_000, 20_000, dayMs),
          fc.nat({ max: 60_000 }),
        ),
        outcome: fc.constantFrom('wrong', 'wrong', 'right'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          run += 1;
          let nowMs = 1_800_000_000_000;
          const own = [0, 1, 2].map(() => new NaiveCount(rule));
          const all = new NaiveCount({ ...rule, free: 4 });
          for (const { who, pauseMs, outcome } of steps) {
            nowMs += pauseMs;
            const mine = { of: `${run} ${who}`, rule };
            const everybodys = { of: `${run}`, rule: { ...rule, free: 4 } };
            const naive = own[who] ?? all;
            const expected = Math.max(naive.waitMs(nowMs), all.waitMs(nowMs));
            assert.deepEqual(await throttle.begin([mine, everybodys], nowMs), { waitMs: expected });
            if (expected > 0) continue;
            if (outcome === 'wrong') {
              naive.fail(nowMs);
              all.fail(nowMs);
            } else {
              await throttle.takeBack(database, { forget: [mine], keep: [everybodys] }, nowMs);
              naive.clear();
              all.hear(nowMs);
            }
          }
        }),
        { numRuns: 60 },
      );
    } finally {
      await remove();
    }
  });

  it('makes nobody wait longer than its rule, whatever a clock said', async () => {
    const { database, remove } = await sqlite.open();
    try {
      const throttle = new Throttle(database);
      const count = {
        of: 'x',
        rule: { free: 0, firstWaitMs: 1_000, waitMostMs: 5_000, forgetOneEveryMs: hourMs },
      };
      const nowMs = 1_800_000_000_000;
      assert.deepEqual(await throttle.begin([count], nowMs + 5_000), { waitMs: 0 });
      assert.deepEqual(await throttle.begin([count], nowMs), { waitMs: 5_000 });
      assert.deepEqual(await throttle.begin([count], nowMs - 1), { waitMs: 0 });
    } finally {
      await remove();
    }
  });
});

/** Failures as a list that loses its oldest with time; a success empties it, or is as if it had not been. */
class NaiveCount {
  readonly #rule: Rule;
  #failures: number[] = [];
  #heardMs = 0;
  #openMs = 0;

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  waitMs(nowMs: number): number {
    return nowMs - this.#heardMs >= dayMs ? 0 : Math.max(0, this.#openMs - nowMs);
  }

  fail(nowMs: number): void {
    this.hear(nowMs);
    this.#failures.push(nowMs);
    const over = this.#failures.length - this.#rule.free;
    let wait = over > 0 ? this.#rule.firstWaitMs : 0;
    for (let step = 1; step < over; step += 1) wait *= 2;
    this.#openMs = nowMs + Math.min(wait, this.#rule.waitMostMs);
  }

  hear(nowMs: number): void {
    if (nowMs - this.#heardMs >= dayMs) this.#failures = [];
    for (let ms = this.#heardMs; ms + this.#rule.forgetOneEveryMs <= nowMs && this.#failures.length > 0; ) {
      this.#failures.shift();
      ms += this.#rule.forgetOneEveryMs;
    }
    this.#heardMs = nowMs;
    this.#openMs = nowMs;
  }

  clear(): void {
    this.#failures = [];
    this.#openMs = 0;
  }
}

describe('words about visitors', () => {
  it('a device is called by browser and system, and by nothing that it made up', () => {
    const devices = new Map<string | undefined, string>([
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
        'Edge on Windows',
      ],
      [
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
        'Safari on macOS',
      ],
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
        'Safari on iPhone',
      ],
      [
        'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
        'Chrome on Android',
      ],
      ['<script>alert(1)</script>', 'Unknown device'],
      [undefined, 'Unknown device'],
    ]);
    for (const [userAgent, name] of devices) assert.equal(deviceOf(userAgent), name);
  });

  it('an address is one that a mail can be sent to, and can hold no second one', () => {
    const good = [
      'ann@example.com',
      "o'brien+tag@sub.example.co.uk",
      'jörg@münchen.example',
      ' padded@example.com ',
    ];
    const bad = [
      '',
      'ann',
      'ann@',
      '@example.com',
      'ann@example',
      'a@b@example.com',
      'ann@example.com, bob@example.com',
      'ann@example.com\r\nBcc: x@example.com',
      'Ann <ann@example.com>',
      'ann smith@example.com',
      `${'x'.repeat(65)}@example.com`,
      'ann@exa..mple.com',
    ];
    assert.deepEqual(
      good.filter((text) => parseEmail(text) === undefined),
      [],
    );
    assert.deepEqual(
      bad.filter((text) => parseEmail(text) !== undefined),
      [],
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parseEmail(`a${text}@example.com`);
        if (parsed !== undefined) assert.doesNotMatch(parsed.typed, /[\s<>,;:"]|\p{C}/u);
      }),
    );
  });

  it('an address is the same however its domain is written, and no number of the network', () => {
    const stops = fc.constantFrom('.', '\u3002', '\uff0e', '\uff61');
    const domains = fc.constantFrom(['mail', 'example', 'com'], ['münchen', 'example'], ['例え', 'テスト']);
    fc.assert(
      fc.property(
        domains,
        fc.array(stops, { minLength: 2, maxLength: 2 }),
        fc.boolean(),
        (labels, [one = '.', two = '.'], loud) => {
          const domain = labels
            .map((label, at) => (at === 0 ? label : `${at === 1 ? one : two}${label}`))
            .join('');
          const parsed = parseEmail(`Ann@${loud ? domain.toUpperCase() : domain}`);
          assert.equal(parsed?.key, parseEmail(`ann@${labels.join('.')}`)?.key);
          assert.match(parsed?.key ?? '', /^ann@[a-z0-9.-]+$/);
          assert.equal(parsed?.typed.toLowerCase(), `ann@${labels.join('.')}`);
        },
      ),
    );
    for (const host of ['127.0.0.11', '0x7f.0x11', '10.20', 'exa\u3002\u3002mple.com'])
      assert.equal(parseEmail(`ann@${host}`), undefined, host);
  });
});
