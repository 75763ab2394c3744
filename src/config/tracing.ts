// Settings of traces, under the names that OpenTelemetry has given them everywhere.

import { oneOf, type Parsed, setting, text } from './values.ts';

type SamplerName =
  | 'always_on'
  | 'always_off'
  | 'traceidratio'
  | 'parentbased_always_on'
  | 'parentbased_always_off'
  | 'parentbased_traceidratio';

/** A name and a password in it would stand in messages; there are headers for that. */
function collectorAddress(value: string): Parsed<string> {
  const { protocol = '', username = '', password = '' } = URL.parse(value) ?? {};
  return /^https?:$/.test(protocol) && username === '' && password === ''
    ? { ok: true, value }
    : { ok: false, expected: 'an http or https address without name and password' };
}

/** NAME=VALUE,NAME=VALUE, values percent-encoded. */
function encodedPairs(value: string): Parsed<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const pair of value.split(',')) {
    const [, name = '', encoded = ''] = /^\s*([\w.-]+)=([\x21-\x7e]*)\s*$/.exec(pair) ?? [];
    const decoded = decode(encoded);
    if (name === '' || decoded === undefined || !/^[\x20-\x7e]*$/.test(decoded))
      return { ok: false, expected: 'NAME=VALUE, separated by commas, with percent-encoded values' };
    found.set(name, decoded);
  }
  return { ok: true, value: found };
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function ratio(value: string): Parsed<number> {
  const number = /^(0|1|0?\.\d{1,9}|1\.0+|0\.\d{1,9})$/.test(value) ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? { ok: false, expected: 'a number from 0 to 1' } : { ok: true, value: number };
}

export const tracingSettings = {
  otlpEndpoint: setting<string | undefined>({
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    flag: 'otlp-endpoint',
    fallback: undefined,
    placeholder: 'URL',
    help: 'OpenTelemetry collector that gets a trace of each request, as JSON over HTTP at URL/v1/traces. Without it, there are no traces.',
    parse: collectorAddress,
  }),
  otlpTracesEndpoint: setting<string | undefined>({
    env: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    flag: 'otlp-traces-endpoint',
    fallback: undefined,
    placeholder: 'URL',
    help: 'Full address for traces, if it is not URL/v1/traces.',
    parse: collectorAddress,
  }),
  otlpHeaders: setting<ReadonlyMap<string, string> | undefined>({
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    flag: 'otlp-headers',
    fallback: undefined,
    placeholder: 'NAME=VALUE,…',
    secrecy: 'secret',
    help: 'Headers that the collector needs, such as its key.',
    parse: encodedPairs,
  }),
  otelServiceName: setting({
    env: 'OTEL_SERVICE_NAME',
    flag: 'otel-service-name',
    fallback: 'domesday',
    placeholder: 'NAME',
    help: 'Name of the service in traces.',
    parse: text,
  }),
  otelResourceAttributes: setting<ReadonlyMap<string, string> | undefined>({
    env: 'OTEL_RESOURCE_ATTRIBUTES',
    flag: 'otel-resource-attributes',
    fallback: undefined,
    placeholder: 'NAME=VALUE,…',
    help: 'More facts about this service in traces, such as deployment.environment.name=production.',
    parse: encodedPairs,
  }),
  tracesSampler: setting<SamplerName>({
    env: 'OTEL_TRACES_SAMPLER',
    flag: 'otel-traces-sampler',
    fallback: 'parentbased_always_on',
    placeholder: 'NAME',
    help: 'Which requests get a trace. parentbased_ follows the traceparent of the caller, if there is one.',
    parse: oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
  }),
  tracesSamplerArg: setting({
    env: 'OTEL_TRACES_SAMPLER_ARG',
    flag: 'otel-traces-sampler-arg',
    fallback: 1,
    placeholder: 'RATIO',
    help: 'Share of the requests that a traceidratio sampler keeps.',
    parse: ratio,
  }),
} as const;
