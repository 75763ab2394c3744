// Every setting in one table: name, environment variable, flag, default, help. Read once in cli/, handed down
// as values; docs/settings.md is generated from it.

import {
  collectorAddress,
  encodedPairs,
  oneOf,
  pairs,
  publicAddress,
  ratio,
  type Setting,
  setting,
  type Tiles,
  text,
  tilesPlace,
  type UpdateTime,
  updateTime,
  webAddress,
  wholeNumber,
} from './config/values.ts';
import { hourMs } from './time.ts';

/** As OpenTelemetry has named them. */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const settings = {
  host: setting({
    env: 'HOST',
    flag: 'host',
    fallback: '127.0.0.1',
    placeholder: 'ADDRESS',
    help: 'Address to listen on. 0.0.0.0 or :: means every interface.',
    parse: text,
  }),
  port: setting({
    env: 'PORT',
    flag: 'port',
    fallback: 8080,
    placeholder: 'N',
    help: 'Port to listen on. 0 means any free port.',
    parse: wholeNumber(0, 65535),
  }),
  home: setting({
    env: 'DOMESDAY_HOME',
    flag: 'home',
    fallback: './var',
    placeholder: 'DIR',
    help: 'Home folder for releases and the embedded ledger. The service makes it if it is missing.',
    parse: text,
  }),
  databaseUrl: setting<string | undefined>({
    env: 'DATABASE_URL',
    flag: 'database-url',
    fallback: undefined,
    placeholder: 'URL',
    secrecy: 'secret',
    help: 'PostgreSQL database (15 or later) for the ledger, instead of the home folder. Several machines can then share one ledger. Example: postgres://USER:PASSWORD@HOST:5432/DATABASE?sslmode=verify-full. Set it in the environment: everybody on the machine can see a flag.',
    parse: (value) =>
      /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '')
        ? { ok: true, value }
        : { ok: false, expected: 'an address such as postgres://USER:PASSWORD@HOST:5432/DATABASE' },
  }),
  sample: setting<'serve' | undefined>({
    env: 'DOMESDAY_SAMPLE',
    flag: 'sample',
    fallback: undefined,
    placeholder: 'serve',
    help: 'Whether live keys are answered from the bundled sample. If others can reach the service (it listens beyond loopback, trusts a proxy, has a public address on another host, or a DATABASE_URL), live keys get 503 where only the sample could answer, and /health/ready says 503 until its postcodes are its own. serve answers them all the same, for a trial.',
    unset: 'only on a machine of your own',
    parse: oneOf('serve'),
  }),
  publicUrl: setting<string | undefined>({
    env: 'DOMESDAY_PUBLIC_URL',
    flag: 'public-url',
    fallback: undefined,
    placeholder: 'URL',
    help: 'Public address of this service, such as https://data.example.com. Links in errors and calls in the documentation then use it.',
    parse: publicAddress,
  }),
  log: setting({
    env: 'DOMESDAY_LOG',
    flag: 'log',
    fallback: 'info' as 'error' | 'warn' | 'info' | 'debug' | 'silent',
    placeholder: 'LEVEL',
    help: 'Lowest level of log lines: silent, error, warn, info (one line per request) or debug.',
    parse: oneOf('silent', 'error', 'warn', 'info', 'debug'),
  }),
  logFormat: setting<'pretty' | 'json' | undefined>({
    env: 'LOG_FORMAT',
    flag: 'log-format',
    fallback: undefined,
    placeholder: 'pretty|json',
    help: 'Format of log lines: pretty for people, json for programs.',
    unset: 'pretty on a terminal, json elsewhere',
    parse: oneOf('pretty', 'json'),
  }),
  slowRequestMs: setting({
    env: 'DOMESDAY_SLOW_REQUEST_MS',
    flag: 'slow-request-ms',
    fallback: 250,
    placeholder: 'MS',
    help: 'If a call takes at least this long, its log line shows the time of each stage.',
    parse: wholeNumber(0, 600_000),
  }),
  metricsToken: setting<string | undefined>({
    env: 'DOMESDAY_METRICS_TOKEN',
    flag: 'metrics-token',
    fallback: undefined,
    placeholder: 'TOKEN',
    secrecy: 'secret',
    help: 'Token that may read /metrics with `Authorization: Bearer TOKEN`. Without it the service refuses /metrics, because a proxy on this machine would call from loopback for anybody. See also DOMESDAY_METRICS_PORT.',
    parse: (value) =>
      value.length >= 16 ? { ok: true, value } : { ok: false, expected: 'at least 16 characters' },
  }),
  metricsPort: setting<number | undefined>({
    env: 'DOMESDAY_METRICS_PORT',
    flag: 'metrics-port',
    fallback: undefined,
    placeholder: 'N',
    help: 'Second port, on 127.0.0.1 only, where /metrics needs no token. 0 means any free port. Do not put a proxy in front of it.',
    parse: wholeNumber(0, 65535),
  }),
  trustProxy: setting({
    env: 'DOMESDAY_TRUST_PROXY',
    flag: 'trust-proxy',
    fallback: 0,
    placeholder: 'N',
    help: 'Number of reverse proxies in front of the service that may set X-Forwarded-For. 0 trusts none.',
    parse: wholeNumber(0, 10),
  }),
  failedKeysPerMinute: setting({
    env: 'DOMESDAY_FAILED_KEYS_PER_MINUTE',
    flag: 'failed-keys-per-minute',
    fallback: 300,
    placeholder: 'N',
    help: 'Calls without a valid key that one address may make in a minute. After that it gets 429. Valid keys are never affected.',
    parse: wholeNumber(1, 1_000_000),
  }),
  publicSandbox: setting({
    env: 'DOMESDAY_PUBLIC_SANDBOX',
    flag: 'public-sandbox',
    fallback: 'on' as 'on' | 'off',
    placeholder: 'on|off',
    help: 'Whether everybody may use the public sandbox key that /docs shows. It is free, answers from the fictional town, and has Basic limits per address. off refuses it with 401.',
    parse: oneOf('on', 'off'),
  }),
  drainSeconds: setting({
    env: 'DOMESDAY_DRAIN_SECONDS',
    flag: 'drain-seconds',
    fallback: 0,
    placeholder: 'N',
    help: 'Seconds for which the service still answers after a signal to stop. Meanwhile /health/ready says 503 and replies close their connections, so that a proxy sends its calls elsewhere before the port closes. Choose more than the proxy needs to notice. 0 closes the port at once. A second signal ends the wait.',
    parse: wholeNumber(0, 3_600),
  }),
  demoAccount: setting({
    env: 'DOMESDAY_DEMO_ACCOUNT',
    flag: 'demo-account',
    fallback: 'loopback' as 'loopback' | 'on' | 'off',
    placeholder: 'loopback|on|off',
    help: 'Whether the service makes an account named "demo" with working keys if it starts without any account. loopback: only if HOST is this machine alone. on: always. The service prints the keys if HOST is this machine alone or the output is a terminal. Otherwise it writes them to demo-keys.txt in the home folder.',
    parse: oneOf('loopback', 'on', 'off'),
  }),
  watchReleaseMs: setting({
    env: 'DOMESDAY_WATCH_RELEASE_MS',
    flag: 'watch-release-ms',
    fallback: 1000,
    placeholder: 'MS',
    help: 'How often the service checks whether another process has changed the current release.',
    parse: wholeNumber(50, hourMs),
  }),
  valuationSite: setting<string | undefined>({
    env: 'DOMESDAY_VALUATION_SITE',
    flag: 'valuation-site',
    fallback: undefined,
    placeholder: 'URL',
    help: 'Public valuation site that the service asks for council tax bands if no list of the council is loaded: https://www.tax.service.gov.uk/check-council-tax-band. Its terms forbid commercial use. Needs DOMESDAY_VALUATION_TERMS too.',
    parse: webAddress,
  }),
  valuationTerms: setting<'accepted' | undefined>({
    env: 'DOMESDAY_VALUATION_TERMS',
    flag: 'valuation-terms',
    fallback: undefined,
    placeholder: 'accepted',
    help: 'Set it to "accepted" if you have read the terms of the public valuation site, which forbid commercial use of its data, and you keep to them.',
    parse: oneOf('accepted'),
  }),
  update: setting<UpdateTime | undefined>({
    env: 'DOMESDAY_UPDATE',
    flag: 'update',
    fallback: undefined,
    placeholder: 'WHEN',
    help: 'When the service fetches new data by itself: daily, weekly (on Sundays), a UK time of day such as 03:30, or off.',
    parse: updateTime,
  }),
  updateSet: setting({
    env: 'DOMESDAY_UPDATE_SET',
    flag: 'update-set',
    fallback: 'all' as 'essential' | 'all',
    placeholder: 'SET',
    help: 'Which data updates fetch: essential (what the endpoints need for England and Wales) or all.',
    parse: oneOf('essential', 'all'),
  }),
  updateFrom: setting<string | undefined>({
    env: 'DOMESDAY_UPDATE_FROM',
    flag: 'update-from',
    fallback: undefined,
    placeholder: 'URL_OR_FOLDER',
    help: 'Mirror to ask instead of the publishers. It must have https://HOST/PATH at URL_OR_FOLDER/HOST/PATH.',
    parse: text,
  }),
  updateAddresses: setting<ReadonlyMap<string, string> | undefined>({
    env: 'DOMESDAY_UPDATE_ADDRESSES',
    flag: 'update-addresses',
    fallback: undefined,
    placeholder: 'NAME=URL,…',
    help: 'New addresses of files that their publishers have moved. docs/data-sources.md lists the names.',
    parse: pairs('NAME=URL, separated by commas, with https addresses', (value) =>
      URL.parse(value)?.protocol === 'https:' ? value : undefined,
    ),
  }),
  updateRhythm: setting<ReadonlyMap<string, number> | undefined>({
    env: 'DOMESDAY_UPDATE_RHYTHM',
    flag: 'update-rhythm',
    fallback: undefined,
    placeholder: 'NAME=DAYS,…',
    help: 'Days to wait before asking for a publication again, if its own rhythm (docs/data-sources.md) does not suit you.',
    parse: pairs('NAME=DAYS, separated by commas, with whole numbers', (value) =>
      /^\d{1,4}$/.test(value) ? Number(value) : undefined,
    ),
  }),
  acceptLicences: setting<ReadonlySet<string> | undefined>({
    env: 'DOMESDAY_ACCEPT_LICENCES',
    flag: 'accept-licences',
    fallback: undefined,
    placeholder: 'NAMES',
    help: 'Names of terms that you have read and accept, separated by commas, or all. domesday update prints the terms. Until you accept them, the data that they cover is left out.',
    parse: (value) => ({ ok: true, value: new Set(value.split(',').map((name) => name.trim())) }),
  }),
  contact: setting<string | undefined>({
    env: 'DOMESDAY_CONTACT',
    flag: 'contact',
    fallback: undefined,
    placeholder: 'ADDRESS',
    help: 'Your web or mail address, so that publishers can reach the person who downloads their files.',
    parse: (value) =>
      /^[\x21-\x7e]{3,200}$/.test(value)
        ? { ok: true, value }
        : { ok: false, expected: 'an address without spaces' },
  }),
  releasesUrl: setting<string | undefined>({
    env: 'DOMESDAY_RELEASES_URL',
    flag: 'releases-url',
    fallback: undefined,
    placeholder: 'URL_OR_FOLDER',
    help: 'Makes this home a replica: it serves the releases that are published there (domesday releases publish) and loads no data itself. Use an https address, s3://BUCKET/PREFIX with the AWS_* variables, or a folder. http works on this machine, and elsewhere only with DOMESDAY_RELEASE_PUBLIC_KEY.',
    parse: text,
  }),
  releasesEverySeconds: setting({
    env: 'DOMESDAY_RELEASES_EVERY_SECONDS',
    flag: 'releases-every-seconds',
    fallback: 60,
    placeholder: 'N',
    help: 'Seconds between two checks of a replica for a newer release, give or take a fifth. If nothing is new, a check is one small request.',
    parse: wholeNumber(1, 86_400),
  }),
  releasesKeep: setting({
    env: 'DOMESDAY_RELEASES_KEEP',
    flag: 'releases-keep',
    fallback: 2,
    placeholder: 'N',
    help: 'Number of fetched releases that a replica keeps on disk, including the current one.',
    parse: wholeNumber(2, 100),
  }),
  releasePublicKey: setting<string | undefined>({
    env: 'DOMESDAY_RELEASE_PUBLIC_KEY',
    flag: 'release-public-key',
    fallback: undefined,
    placeholder: 'KEYS',
    help: 'Public key that a replica checks signatures with, as domesday releases keygen printed it. Give several, separated by commas, while you replace a key. The replica then serves only signed releases.',
    parse: text,
  }),
  signingKey: setting<string | undefined>({
    env: 'DOMESDAY_SIGNING_KEY',
    flag: 'signing-key',
    fallback: undefined,
    placeholder: 'FILE',
    help: 'Private key that domesday releases publish signs with. Replicas do not need it.',
    parse: text,
  }),
  cacheMegabytes: setting({
    env: 'DOMESDAY_CACHE_MEGABYTES',
    flag: 'cache-megabytes',
    fallback: 1_024,
    placeholder: 'N',
    help: 'Disk space for kept answers of the public valuation site. When it is full, the answers not used for longest go first.',
    parse: wholeNumber(16, 1_000_000),
  }),
  planChanges: setting({
    env: 'DOMESDAY_PLAN_CHANGES',
    flag: 'plan-changes',
    fallback: 'approved' as 'approved' | 'self-service',
    placeholder: 'approved|self-service',
    help: 'What happens when a customer asks for another plan in the dashboard: it waits for the operator (approved), or it changes at once (self-service). The enterprise plan always needs the operator.',
    parse: oneOf('approved', 'self-service'),
  }),
  visitors: setting({
    env: 'DOMESDAY_VISITORS',
    flag: 'visitors',
    fallback: 0,
    placeholder: 'CALLS',
    help: 'Calls a day that all visitors of the explorer together may make about real places without signing in, charged to an account named "visitors"; one address gets a tenth of them, and at least 25. 0 shows them the fictional town alone.',
    parse: wholeNumber(0, 10_000_000),
  }),
  sandboxPageCalls: setting({
    env: 'DOMESDAY_SANDBOX_PAGE_CALLS',
    flag: 'sandbox-page-calls',
    fallback: 120,
    placeholder: 'CALLS',
    help: 'Calls a minute that pages of the service may make for one address with the public sandbox key. A place of the explorer takes eight.',
    parse: wholeNumber(1, 1_000_000),
  }),
  signUp: setting<'open' | 'invited' | 'closed' | undefined>({
    env: 'DOMESDAY_SIGNUP',
    flag: 'sign-up',
    fallback: undefined,
    placeholder: 'open|invited|closed',
    help: 'Who may sign up: everybody who confirms an address (open), people with an invitation (invited) or nobody (closed).',
    unset: 'open if HOST is this machine alone, otherwise closed',
    parse: oneOf('open', 'invited', 'closed'),
  }),
  smtpUrl: setting<string | undefined>({
    env: 'SMTP_URL',
    flag: 'smtp-url',
    fallback: undefined,
    placeholder: 'URL',
    secrecy: 'secret',
    help: 'Mail server for confirmations, new passwords and invitations: smtps://USER:PASSWORD@HOST:465, or smtp://…:587. Nothing is sent in the clear, except to this machine, or if the URL ends in ?ignoreTLS=true. Without it, the operator prints the links with domesday people link.',
    parse: (value) =>
      /^smtps?:$/.test(URL.parse(value)?.protocol ?? '') && URL.parse(value)?.hostname !== ''
        ? { ok: true, value }
        : { ok: false, expected: 'an address such as smtps://USER:PASSWORD@HOST:465' },
  }),
  mailFrom: setting<string | undefined>({
    env: 'DOMESDAY_MAIL_FROM',
    flag: 'mail-from',
    fallback: undefined,
    placeholder: 'ADDRESS',
    help: 'Sender of mails, such as Domesday <no-reply@example.com>.',
    unset: 'no-reply at the host of DOMESDAY_PUBLIC_URL',
    parse: (value) =>
      /^(?:[^<>\p{C}"]{1,100} <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u.test(value)
        ? { ok: true, value }
        : {
            ok: false,
            expected: 'an address such as no-reply@example.com or Domesday <no-reply@example.com>',
          },
  }),
  tiles: setting<Tiles | undefined>({
    env: 'DOMESDAY_TILES',
    flag: 'tiles',
    fallback: undefined,
    placeholder: 'URL_OR_FILE',
    help: 'Map tiles (pictures) below the explorer’s map: https://HOST/{z}/{x}/{y}.png, or a PMTiles archive of pictures at an https address or in a file, which the service then hands out itself. Only that host is added to the Content-Security-Policy of the explorer. Without it the map is drawn from the loaded data alone.',
    parse: tilesPlace,
  }),
  tilesAttribution: setting<string | undefined>({
    env: 'DOMESDAY_TILES_ATTRIBUTION',
    flag: 'tiles-attribution',
    fallback: undefined,
    placeholder: 'TEXT',
    help: 'Whom the makers of those tiles want named beside the map.',
    parse: (value) =>
      value.length <= 300 ? { ok: true, value } : { ok: false, expected: 'at most 300 characters' },
  }),
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
  tracesSampler: setting({
    env: 'OTEL_TRACES_SAMPLER',
    flag: 'otel-traces-sampler',
    fallback: 'parentbased_always_on' as (typeof samplers)[number],
    placeholder: 'NAME',
    help: 'Which requests get a trace. parentbased_ follows the traceparent of the caller, if there is one.',
    parse: oneOf(...samplers),
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

export type Settings = { readonly [K in keyof typeof settings]: (typeof settings)[K]['fallback'] };

/** Thrown with one line; the operator corrects the variable or flag it names. */
export class BadSetting extends Error {
  override name = 'BadSetting';
  readonly given: 'flag' | 'environment';
  constructor(message: string, given: BadSetting['given']) {
    super(message);
    this.given = given;
  }
}

/** Flags win over environment, environment over defaults; an empty variable counts as unset. `calledHere`: flags that the
 *  command at hand calls otherwise than `domesday serve`. */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | undefined>>,
  calledHere: Readonly<Record<string, string>> = {},
): Settings {
  const read = ({ env: variable, flag, fallback, secrecy, parse }: Setting<unknown>): unknown => {
    const fromFlag = flags[flag];
    const source = fromFlag === undefined ? variable : `--${calledHere[flag] ?? flag}`;
    const given = fromFlag ?? (env[variable] || undefined);
    if (given === undefined) return fallback;
    const parsed = parse(given);
    if (parsed.ok) return parsed.value;
    const shown = secrecy === 'secret' ? 'not usable' : `"${given}"`;
    const by = fromFlag === undefined ? 'environment' : 'flag';
    throw new BadSetting(`${source} is ${shown}; it must be ${parsed.expected}.`, by);
  };
  const values = Object.entries(settings).map(([name, setting]) => [name, read(setting)]);
  // Each name has the value that its own setting read, which entries cannot say.
  const found: Settings = Object.fromEntries(values);
  if (found.valuationSite !== undefined && found.valuationTerms !== 'accepted') {
    throw new BadSetting(
      `${settings.valuationSite.env} is set, but the terms of the site forbid commercial use; if your use is allowed, set ${settings.valuationTerms.env} to accepted.`,
      flags[settings.valuationSite.flag] === undefined ? 'environment' : 'flag',
    );
  }
  return found;
}
