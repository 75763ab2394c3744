// Traces: what a collector is sent of a request, and that nothing it does is felt by a caller.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openTraces, type SenderPatience, type Traces } from '../../../src/cli/serve/span-sender.ts';
import { readSettings } from '../../../src/config.ts';
import { stages } from '../../../src/http/observe/laps.ts';
import { Log } from '../../../src/http/observe/log.ts';
import { parseTraceParent } from '../../../src/http/observe/tracing/traceparent.ts';
import { renderMetrics } from '../../../src/metrics/exposition.ts';
import { Metrics } from '../../../src/metrics/metrics.ts';
import { anyString } from '../../any-string.ts';
import { bundledHome, openRig, type Rig, startDomesday } from '../../rig.ts';
import { attributesOf, type Collector, moods, openCollector, type Span, spansOf } from './collector.ts';

const short: SenderPatience = { gatherMs: 5, answerMs: 100, againMs: 1, againMostMs: 5, closeMs: 300 };
/** For collectors that answer, however busy the machine is. */
const patient: SenderPatience = { ...short, answerMs: 60_000, closeMs: 60_000 };
const url = '/api/v1/bank-rates?limit=1';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

type Tracing = {
  readonly traces: Traces;
  readonly logged: string[];
  /** Spans by what became of them. */
  readonly counts: () => Promise<{ sent: number; dropped: number; refused: number }>;
};

function trace(
  endpoint: string,
  patience: SenderPatience = short,
  env: Readonly<Record<string, string>> = {},
): Tracing {
  const logged: string[] = [];
  const metrics = new Metrics();
  const settings = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env }, {});
  const log = new Log({ log: 'debug', slowRequestMs: 0 }, (line) => logged.push(line), Date.now);
  const traces = openTraces(settings, metrics, log, patience) ?? assert.fail();
  return {
    traces,
    logged,
    counts: async () => {
      const text = renderMetrics(await metrics.snapshot());
      const of = (result: string) =>
        Number(
          new RegExp(`^domesday_trace_spans_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1],
        );
      return { sent: of('sent'), dropped: of('dropped'), refused: of('refused') };
    },
  };
}

/** A rig whose requests are traced to a collector, until `end`. */
async function tracedRig(
  env: Readonly<Record<string, string>> = {},
): Promise<{ rig: Rig; collector: Collector; end: () => Promise<readonly Span[]> }> {
  const collector = await openCollector();
  const { traces } = trace(collector.url, short, env);
  const rig = await openRig({ tracer: traces.tracer });
  return {
    rig,
    collector,
    end: async () => {
      await rig.close();
      await traces.close();
      await collector.close();
      return spansOf(collector);
    },
  };
}

const members = new Set([
  'traceId',
  'spanId',
  'parentSpanId',
  'flags',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'status',
]);

function checkForm(span: Span): void {
  for (const member of Object.keys(span)) assert.ok(members.has(member), `${member} is no field of a span`);
  assert.match(span.traceId, /^(?!0+$)[0-9a-f]{32}$/);
  assert.match(span.spanId, /^(?!0+$)[0-9a-f]{16}$/);
  if (span.parentSpanId !== undefined) assert.match(span.parentSpanId, /^[0-9a-f]{16}$/);
  for (const time of [span.startTimeUnixNano, span.endTimeUnixNano]) assert.match(time, /^\d{19}$/);
  assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano));
  assert.ok(Number.isInteger(span.kind) && Number.isInteger(span.flags));
  for (const { key, value } of span.attributes ?? []) {
    assert.match(key, /^[a-z_.]+$/);
    assert.equal(Object.keys(value).length, 1);
    const [[kind, content] = ['', '']] = Object.entries(value);
    assert.ok(kind === 'stringValue' || (kind === 'intValue' && /^\d+$/.test(content)), `${key}: ${kind}`);
  }
}

test('a call is one span with a span below it for every stage, one after the other, in the form of OTLP', async () => {
  const { rig, collector, end } = await tracedRig({
    OTEL_SERVICE_NAME: 'data',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=blue%20green,service.name=other',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%3Db',
  });
  const { key } = await rig.customer();
  await rig.get(url, key);
  const spans = await end();
  spans.forEach(checkForm);
  const [call, ...below] = spans;
  assert.ok(call !== undefined);
  assert.deepEqual(
    [call.name, call.kind, call.parentSpanId, call.status],
    ['GET /api/v1/bank-rates', 2, undefined, undefined],
  );
  assert.deepEqual(attributesOf(call), {
    'http.request.method': 'GET',
    'http.route': '/api/v1/bank-rates',
    'http.response.status_code': '200',
    'domesday.credits_charged': '1',
  });
  assert.deepEqual(
    below.map(({ name }) => name),
    stages,
  );
  let fromNano = call.startTimeUnixNano;
  for (const span of below) {
    assert.deepEqual([span.traceId, span.parentSpanId, span.kind], [call.traceId, call.spanId, 1]);
    // Rounded to whole microseconds.
    assert.ok(Math.abs(Number(BigInt(span.startTimeUnixNano) - BigInt(fromNano))) <= 1_000);
    fromNano = span.endTimeUnixNano;
  }
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  const [sent] = collector.taken;
  assert.deepEqual(
    [sent?.path, sent?.headers['content-type'], sent?.headers['x-collector-key']],
    ['/v1/traces', 'application/json', 'a=b'],
  );
  const [{ resource, scopeSpans }] = JSON.parse(sent?.body ?? '').resourceSpans;
  const named = new Map(
    resource.attributes.map(({ key: name, value }: { key: string; value: object }) => [name, value]),
  );
  assert.deepEqual(named.get('service.name'), { stringValue: 'data' });
  assert.deepEqual(named.get('deployment.environment.name'), { stringValue: 'blue green' });
  assert.equal(scopeSpans[0].scope.name, 'domesday');
});

test('a refusal has the stages it came to; a failure of ours is an error; what has no route is named by its method', async () => {
  const failing = {
    admit: () => {
      throw new Error('no ledger');
    },
  };
  const collector = await openCollector();
  const { traces } = trace(collector.url, patient);
  const rig = await openRig({ tracer: traces.tracer });
  const broken = await openRig({
    tracer: traces.tracer,
    ledger: (real) => Object.assign(Object.create(real), failing),
  });
  const { key } = await rig.customer();
  await rig.get('/api/v1/bank-rates?limit=0', key);
  await broken.get(url, key);
  for (const path of ['/nowhere/SW1A2AA', '/%', '/health/live', '/docs/errors/x']) await rig.get(path, key);
  await rig.close();
  await broken.close();
  await traces.close();
  await collector.close();
  const spans = spansOf(collector);
  spans.forEach(checkForm);
  const roots = spans.filter(({ kind }) => kind === 2);
  assert.deepEqual(
    roots.map((span) => [span.name, attributesOf(span)['http.response.status_code'], span.status?.code]),
    [
      ['GET /api/v1/bank-rates', '400', undefined],
      ['GET /api/v1/bank-rates', '500', 2],
      ['GET', '404', undefined],
      ['GET', '400', undefined],
      ['GET /health/live', '200', undefined],
      ['GET /docs/*', '404', undefined],
    ],
  );
  const [refused] = roots;
  assert.deepEqual(
    spans.filter(({ parentSpanId }) => parentSpanId === refused?.spanId).map(({ name }) => name),
    ['key', 'limit', 'parameters', 'reply'],
  );
});

test('no key, postcode, query, account or name of a request reaches a collector', async () => {
  const { rig, collector, end } = await tracedRig();
  const { key, accountId, keyId } = await rig.customer();
  const secret = 'SW1A2AA';
  const headers = {
    'x-request-id': secret,
    tracestate: `a=${secret}`,
    traceparent: `00-${traceId}-${parentId}-01`,
    baggage: secret,
  };
  for (const path of [
    `/api/v1/area/statistics?postcode=${secret}`,
    `/${secret}`,
    `/health/live?${key}`,
    url,
  ]) {
    await rig.get(path, key, headers);
  }
  await end();
  const text = collector.taken.map(({ body, headers: sent }) => body + JSON.stringify(sent)).join();
  assert.ok(text.includes(traceId));
  for (const word of [secret, key, accountId, keyId, 'limit'])
    assert.ok(!text.replaceAll('"name":"limit"', '').includes(word), word);
});

test('a trace that a caller began is gone on with, and kept or not as the caller says', async () => {
  const { rig, end } = await tracedRig();
  const { key } = await rig.customer();
  await rig.get(url, key, { traceparent: `00-${traceId}-${parentId}-01` });
  const [line] = rig.logLines.slice(-1);
  await rig.get(url, key, { traceparent: `00-${traceId.replace('4', '5')}-${parentId}-00` });
  const spans = await end();
  assert.deepEqual(new Set(spans.map((span) => span.traceId)), new Set([traceId]));
  assert.equal(spans[0]?.parentSpanId, parentId);
  assert.equal(spans[0]?.flags, 0x301);
  assert.equal(JSON.parse(line ?? '').traceId, traceId);
  assert.equal(JSON.parse(rig.logLines.at(-1) ?? '').traceId, undefined);
});

/** Zeros and ones of it mean something by themselves. */
const hex = (length: number) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length }),
    fc.constantFrom('0'.repeat(length), 'f'.repeat(length)),
  );

test('traceparent: what follows the standard is followed, anything else begins a trace of its own', () => {
  fc.assert(
    fc.property(
      hex(2),
      hex(32),
      hex(16),
      hex(2),
      fc.constantFrom('', '-', '-more'),
      (version, id, span, flags, more) => {
        const isValid =
          version !== 'ff' && /[^0]/.test(id) && /[^0]/.test(span) && (version !== '00' || more === '');
        const parsed = parseTraceParent(`${version}-${id}-${span}-${flags}${more}`);
        const sampled = Number.parseInt(flags, 16) & 1 ? 'yes' : 'no';
        assert.deepEqual(parsed, isValid ? { traceId: id, spanId: span, sampled } : undefined);
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        anyString(),
        fc.constantFrom(
          '',
          '00-',
          `00-${traceId.toUpperCase()}-${parentId}-01`,
          `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
        ),
      ),
      (text) => {
        assert.equal(parseTraceParent(text), undefined);
      },
    ),
  );
  assert.equal(parseTraceParent(undefined), undefined);
  assert.equal(parseTraceParent([`00-${traceId}-${parentId}-01`]), undefined);
});

const noted = {
  method: 'GET',
  route: '/x',
  status: 200,
  seconds: 0.001,
  endedMs: 1_800_000_000_000,
  creditsCharged: 0,
  laps: undefined,
};

test('samplers keep all, none, or the part that is asked for, always the same traces', async () => {
  const collector = await openCollector();
  const kept = async (sampler: string, ratio: string, header?: string) => {
    const { traces } = trace(collector.url, short, {
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: ratio,
    });
    let count = 0;
    for (let call = 0; call < 400; call += 1) if (traces.tracer.note(header, noted) !== undefined) count += 1;
    await traces.close();
    return count;
  };
  const yes = `00-${traceId}-${parentId}-01`;
  const no = `00-${traceId}-${parentId}-00`;
  assert.equal(await kept('always_on', '1', no), 400);
  assert.equal(await kept('always_off', '1', yes), 0);
  assert.equal(await kept('parentbased_always_off', '1'), 0);
  assert.equal(await kept('parentbased_always_off', '1', yes), 400);
  assert.equal(await kept('parentbased_traceidratio', '0', yes), 400);
  assert.equal(await kept('parentbased_traceidratio', '0'), 0);
  assert.equal(await kept('parentbased_traceidratio', '1', no), 0);
  const half = await kept('traceidratio', '0.5');
  // Of 400 a half is 200 ± 10 by chance; this is ten times as far.
  assert.ok(half > 100 && half < 300, `${half} of 400`);
  // Its last digits, e929d0e0e4736, are 0.911 of their range.
  assert.equal(await kept('traceidratio', '0.91', yes), 0);
  assert.equal(await kept('traceidratio', '0.92', no), 400);
  await collector.close();
});

for (const mood of moods) {
  test(`a collector that is ${mood}: requests are answered as ever, and every span is accounted for`, async () => {
    const collector = await openCollector(mood);
    const { traces, counts, logged } = trace(collector.url, mood === 'silent' ? short : patient);
    const rig = await openRig({ tracer: traces.tracer });
    const { key } = await rig.customer();
    const calls = 5;
    for (let call = 0; call < calls; call += 1) assert.equal((await rig.get(url, key)).statusCode, 200);
    await collector.came(1);
    await rig.close();
    await traces.close();
    await collector.close();
    const spans = calls * (1 + stages.length);
    const { sent, dropped, refused } = await counts();
    assert.equal(sent + dropped + refused, spans);
    const isTaken = mood === 'well' || mood === 'garbage' || mood === 'endless';
    if (isTaken) assert.equal(sent, spans);
    else if (mood === 'partial') assert.equal(refused, 3 * collector.taken.length);
    else if (typeof mood === 'number' && mood !== 429 && mood !== 503) assert.equal(refused, spans);
    assert.equal(
      logged.filter((line) => line.includes('traces cannot be sent')).length,
      isTaken ? 0 : 1,
      'told once',
    );
    assert.ok(!collector.taken.some(({ path }) => path !== '/v1/traces'), 'redirects lead nowhere');
  });
}

test('a collector that is away for a while is tried again, and told of when it is back', async () => {
  const collector = await openCollector(503);
  const { traces, counts, logged } = trace(collector.url, { ...patient, gatherMs: 1 });
  traces.tracer.note(undefined, noted);
  // Each batch is tried three times.
  await collector.came(3);
  collector.mood = 'well';
  traces.tracer.note(undefined, noted);
  await collector.came(4);
  await traces.close();
  await collector.close();
  assert.deepEqual(await counts(), { sent: 1, dropped: 1, refused: 0 });
  assert.deepEqual(
    logged.map((line) => JSON.parse(line).message.replace(/127\.0\.0\.1:\d+/, 'HOST')),
    [
      'traces cannot be sent to HOST: it answered 503. Requests go on; spans are dropped and counted. Look at the collector, or unset OTEL_EXPORTER_OTLP_ENDPOINT.',
      'traces are sent again',
    ],
  );
});

test('nobody listens: spans are dropped and counted, and the address is told without its path', async () => {
  const collector = await openCollector();
  await collector.close();
  const { traces, counts, logged } = trace(`${collector.url}/secret-path`);
  traces.tracer.note(undefined, noted);
  await traces.close();
  assert.deepEqual(await counts(), { sent: 0, dropped: 1, refused: 0 });
  assert.match(logged.join(), /ECONNREFUSED/);
  assert.doesNotMatch(logged.join(), /secret-path/);
});

test('what waits for a silent collector is bounded; the rest is dropped at once', async () => {
  const collector = await openCollector('silent');
  const { traces, counts } = trace(collector.url, { ...short, answerMs: 60_000, closeMs: 1 });
  for (let call = 0; call < 32; call += 1) traces.tracer.note(undefined, noted);
  await collector.came(1);
  for (let call = 0; call < 10_000; call += 1) traces.tracer.note(undefined, noted);
  assert.deepEqual(await counts(), { sent: 0, dropped: 10_000 - 2_048, refused: 0 });
  // Ends although the collector never answers.
  await traces.close();
  assert.deepEqual(await counts(), { sent: 0, dropped: 10_032, refused: 0 });
  traces.tracer.note(undefined, noted);
  assert.equal((await counts()).dropped, 10_033);
  await collector.close();
});

test('addresses with a password and odd headers are refused, without repeating them', () => {
  const refusal = (env: Record<string, string>) => {
    try {
      readSettings(env, {});
      return 'none';
    } catch (error) {
      return String(error);
    }
  };
  assert.match(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://x' }), /http or https/);
  assert.match(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:b@c' }), /without name and password/);
  for (const headers of ['x', 'a=%0Ab', 'a=%', 'a b=c']) {
    const told = refusal({ OTEL_EXPORTER_OTLP_HEADERS: headers });
    assert.match(told, /OTEL_EXPORTER_OTLP_HEADERS is not usable/);
  }
  for (const ratio of ['2', '-1', 'x', '1.1', '1e3']) {
    assert.match(refusal({ OTEL_TRACES_SAMPLER_ARG: ratio }), /a number from 0 to 1/);
  }
  for (const ratio of ['0', '1', '0.25', '.5', '1.0'])
    assert.equal(refusal({ OTEL_TRACES_SAMPLER_ARG: ratio }), 'none');
});

test('a service sends what it has when it is stopped', async () => {
  const collector = await openCollector();
  const { home, remove } = await bundledHome();
  const service = await startDomesday(home, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here`,
  });
  const ids = Array.from({ length: 6 }, (_, call) => `${call + 1}`.padStart(32, 'a'));
  for (const id of ids) {
    const headers = { traceparent: `00-${id}-${parentId}-01`, connection: 'close' };
    await (await fetch(`${service.url}/health/live`, { headers })).text();
  }
  assert.equal((await service.stop()).code, 0);
  await collector.close();
  const roots = spansOf(collector).filter(({ kind }) => kind === 2);
  assert.deepEqual(roots.map((span) => span.traceId).sort(), ids);
  assert.deepEqual(new Set(collector.taken.map(({ path }) => path)), new Set(['/here']));
  for (const id of ids) assert.ok(service.output().includes(`"traceId":"${id}"`));
  remove();
});

test('a service whose collector never answers stops in order', async () => {
  const collector = await openCollector('silent');
  const { home, remove } = await bundledHome();
  const service = await startDomesday(home, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await (await fetch(`${service.url}/health/live`)).text();
  assert.equal((await service.stop()).code, 0);
  await collector.close();
  remove();
});
