// Every setting in one table: name, environment variable, flag, default, help. Read once in cli/, handed down
// as values; docs/settings.md is generated from it.

import { dashboardSettings } from './config/dashboard.ts';
import { peopleSettings } from './config/people.ts';
import { tracingSettings } from './config/tracing.ts';
import {
  oneOf,
  pairs,
  publicAddress,
  type Setting,
  setting,
  text,
  type UpdateTime,
  updateTime,
  webAddress,
  wholeNumber,
} from './config/values.ts';

export const settings = {
  host: setting({
    env: 'HOST',
    flag: 'host',
    fallback: '127.0.0.1',
    placeholder: 'ADDRESS',
    help: 'Address to listen on; 0.0.0.0 or :: for every interface.',
    parse: text,
  }),
  port: setting({
    env: 'PORT',
    flag: 'port',
    fallback: 8080,
    placeholder: 'N',
    help: 'Port to listen on; 0 takes any free one.',
    parse: wholeNumber(0, 65535),
  }),
  home: setting({
    env: 'DOMESDAY_HOME',
    flag: 'home',
    fallback: './var',
    placeholder: 'DIR',
    help: 'Home folder: releases and the embedded ledger. Made when absent.',
    parse: text,
  }),
  databaseUrl: setting<string | undefined>({
    env: 'DATABASE_URL',
    flag: 'database-url',
    fallback: undefined,
    placeholder: 'URL',
    secrecy: 'secret',
    help: 'A PostgreSQL (15 or later) that keeps the ledger instead of the home folder, so that several machines can serve with one ledger: postgres://USER:PASSWORD@HOST:5432/DATABASE?sslmode=verify-full. Best in the environment: a flag is seen by everybody on the machine.',
    parse: (value) =>
      /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '')
        ? { ok: true, value }
        : { ok: false, expected: 'an address such as postgres://USER:PASSWORD@HOST:5432/DATABASE' },
  }),
  publicUrl: setting<string | undefined>({
    env: 'DOMESDAY_PUBLIC_URL',
    flag: 'public-url',
    fallback: undefined,
    placeholder: 'URL',
    help: 'Where callers reach this service, such as https://data.example.com; links in errors are then whole addresses, and the calls in the documentation go there.',
    parse: publicAddress,
  }),
  workers: setting({
    env: 'DOMESDAY_WORKERS',
    flag: 'workers',
    fallback: 1,
    placeholder: 'N',
    help: 'Threads that answer requests; they share one ledger and one copy of the data.',
    parse: wholeNumber(1, 64),
  }),
  log: setting({
    env: 'DOMESDAY_LOG',
    flag: 'log',
    fallback: 'info' as 'error' | 'warn' | 'info' | 'debug' | 'silent',
    placeholder: 'LEVEL',
    help: 'Lowest level of log lines: silent, error, warn, info (one line a request) or debug.',
    parse: oneOf('silent', 'error', 'warn', 'info', 'debug'),
  }),
  logFormat: setting<'pretty' | 'json' | undefined>({
    env: 'LOG_FORMAT',
    flag: 'log-format',
    fallback: undefined,
    placeholder: 'pretty|json',
    help: 'How log lines are written: pretty for people, json for programs. Without it pretty where the output is a terminal, json elsewhere.',
    parse: oneOf('pretty', 'json'),
  }),
  slowRequestMs: setting({
    env: 'DOMESDAY_SLOW_REQUEST_MS',
    flag: 'slow-request-ms',
    fallback: 250,
    placeholder: 'MS',
    help: 'A call that takes at least this long has the time of each of its stages in its log line.',
    parse: wholeNumber(0, 600_000),
  }),
  metricsToken: setting<string | undefined>({
    env: 'DOMESDAY_METRICS_TOKEN',
    flag: 'metrics-token',
    fallback: undefined,
    placeholder: 'TOKEN',
    secrecy: 'secret',
    help: 'Lets `Authorization: Bearer TOKEN` read /metrics; without it /metrics is refused, since a proxy on the machine calls from loopback for anybody. See DOMESDAY_METRICS_PORT too.',
    parse: (value) =>
      value.length >= 16 ? { ok: true, value } : { ok: false, expected: 'at least 16 characters' },
  }),
  metricsPort: setting<number | undefined>({
    env: 'DOMESDAY_METRICS_PORT',
    flag: 'metrics-port',
    fallback: undefined,
    placeholder: 'N',
    help: 'A second port, on 127.0.0.1 alone, where /metrics is read without a token; 0 takes any free one. Put no proxy in front of it.',
    parse: wholeNumber(0, 65535),
  }),
  trustProxy: setting({
    env: 'DOMESDAY_TRUST_PROXY',
    flag: 'trust-proxy',
    fallback: 0,
    placeholder: 'N',
    help: 'How many reverse proxies in front may set X-Forwarded-For; 0 believes none.',
    parse: wholeNumber(0, 10),
  }),
  failedKeysPerMinute: setting({
    env: 'DOMESDAY_FAILED_KEYS_PER_MINUTE',
    flag: 'failed-keys-per-minute',
    fallback: 300,
    placeholder: 'N',
    help: 'Calls without a valid key that one address may make in a minute before it is told 429; valid keys are never held back by it.',
    parse: wholeNumber(1, 1_000_000),
  }),
  publicSandbox: setting({
    env: 'DOMESDAY_PUBLIC_SANDBOX',
    flag: 'public-sandbox',
    fallback: 'on' as 'on' | 'off',
    placeholder: 'on|off',
    help: 'Whether everybody may use the public sandbox key that /docs shows: free, answered from the fictional town, with Basic limits per address. off refuses it with 401.',
    parse: oneOf('on', 'off'),
  }),
  drainSeconds: setting({
    env: 'DOMESDAY_DRAIN_SECONDS',
    flag: 'drain-seconds',
    fallback: 0,
    placeholder: 'N',
    help: 'How long calls are still answered after a signal to stop, while /health/ready says 503 and replies close their connections, so that a proxy sends its calls elsewhere before the port closes. Longer than the proxy takes to notice; 0 closes it at once. A second signal ends the wait.',
    parse: wholeNumber(0, 3_600),
  }),
  demoAccount: setting({
    env: 'DOMESDAY_DEMO_ACCOUNT',
    flag: 'demo-account',
    fallback: 'loopback' as 'loopback' | 'on' | 'off',
    placeholder: 'loopback|on|off',
    help: 'Whether a start without any account makes one named "demo" with working keys. loopback does where HOST is this machine alone; on does everywhere. Its keys are printed where HOST is this machine alone or the output is a terminal, else they are in demo-keys.txt in the home folder.',
    parse: oneOf('loopback', 'on', 'off'),
  }),
  watchReleaseMs: setting({
    env: 'DOMESDAY_WATCH_RELEASE_MS',
    flag: 'watch-release-ms',
    fallback: 1000,
    placeholder: 'MS',
    help: 'How often the service looks whether another process made another release current.',
    parse: wholeNumber(50, 3_600_000),
  }),
  valuationSite: setting<string | undefined>({
    env: 'DOMESDAY_VALUATION_SITE',
    flag: 'valuation-site',
    fallback: undefined,
    placeholder: 'URL',
    help: 'Public valuation site, asked for council tax bands where no list of the council is loaded: https://www.tax.service.gov.uk/check-council-tax-band. Its terms forbid commercial use; needs DOMESDAY_VALUATION_TERMS too.',
    parse: webAddress,
  }),
  valuationTerms: setting<'accepted' | undefined>({
    env: 'DOMESDAY_VALUATION_TERMS',
    flag: 'valuation-terms',
    fallback: undefined,
    placeholder: 'accepted',
    help: '"accepted" says that you have read the terms of the public valuation site, which forbid commercial use of its data, and keep them.',
    parse: oneOf('accepted'),
  }),
  policeApi: setting<string | undefined>({
    env: 'DOMESDAY_POLICE_API',
    flag: 'police-api',
    fallback: undefined,
    placeholder: 'URL',
    help: 'Live police service, asked for crime where no archive is loaded: https://data.police.uk/api; without it only loaded data answers.',
    parse: webAddress,
  }),
  update: setting<UpdateTime | undefined>({
    env: 'DOMESDAY_UPDATE',
    flag: 'update',
    fallback: undefined,
    placeholder: 'WHEN',
    help: 'When the service fetches new data by itself: daily, weekly (on Sundays), or a time of the day in the UK such as 03:30; off is never.',
    parse: updateTime,
  }),
  updateSet: setting({
    env: 'DOMESDAY_UPDATE_SET',
    flag: 'update-set',
    fallback: 'all' as 'essential' | 'all',
    placeholder: 'SET',
    help: 'What updates are about: essential (what the endpoints need for England and Wales) or all.',
    parse: oneOf('essential', 'all'),
  }),
  updateFrom: setting<string | undefined>({
    env: 'DOMESDAY_UPDATE_FROM',
    flag: 'update-from',
    fallback: undefined,
    placeholder: 'URL_OR_FOLDER',
    help: 'A mirror that is asked instead of the publishers: https://HOST/PATH is asked for as URL_OR_FOLDER/HOST/PATH.',
    parse: text,
  }),
  updateAddresses: setting<ReadonlyMap<string, string> | undefined>({
    env: 'DOMESDAY_UPDATE_ADDRESSES',
    flag: 'update-addresses',
    fallback: undefined,
    placeholder: 'NAME=URL,…',
    help: 'Where the file of a publication is, when its publisher has moved it; names are in docs/data-sources.md.',
    parse: pairs('NAME=URL, separated by commas, with https addresses', (value) =>
      URL.parse(value)?.protocol === 'https:' ? value : undefined,
    ),
  }),
  updateRhythm: setting<ReadonlyMap<string, number> | undefined>({
    env: 'DOMESDAY_UPDATE_RHYTHM',
    flag: 'update-rhythm',
    fallback: undefined,
    placeholder: 'NAME=DAYS,…',
    help: 'How many days pass before a publication is asked for again, where that is not left to its own rhythm (docs/data-sources.md).',
    parse: pairs('NAME=DAYS, separated by commas, with whole numbers', (value) =>
      /^\d{1,4}$/.test(value) ? Number(value) : undefined,
    ),
  }),
  acceptLicences: setting<ReadonlySet<string> | undefined>({
    env: 'DOMESDAY_ACCEPT_LICENCES',
    flag: 'accept-licences',
    fallback: undefined,
    placeholder: 'NAMES',
    help: 'Terms that you have read and keep, by name, separated by commas, or all; domesday update prints them. Until then what they are about is left out.',
    parse: (value) => ({ ok: true, value: new Set(value.split(',').map((name) => name.trim())) }),
  }),
  contact: setting<string | undefined>({
    env: 'DOMESDAY_CONTACT',
    flag: 'contact',
    fallback: undefined,
    placeholder: 'ADDRESS',
    help: 'A web or mail address of yours, by which publishers can reach whoever downloads their files.',
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
    help: 'Makes this home a replica: it serves what is published there (domesday releases publish), and loads nothing by itself. An https address, s3://BUCKET/PREFIX with the variables AWS_*, or a folder; http on this machine, elsewhere only with DOMESDAY_RELEASE_PUBLIC_KEY.',
    parse: text,
  }),
  releasesEverySeconds: setting({
    env: 'DOMESDAY_RELEASES_EVERY_SECONDS',
    flag: 'releases-every-seconds',
    fallback: 60,
    placeholder: 'N',
    help: 'How often a replica asks for a newer release, give or take a fifth; where nothing is new, that is one small exchange.',
    parse: wholeNumber(1, 86_400),
  }),
  releasesKeep: setting({
    env: 'DOMESDAY_RELEASES_KEEP',
    flag: 'releases-keep',
    fallback: 2,
    placeholder: 'N',
    help: 'How many of the releases that it fetched a replica keeps on its disk, the current one among them.',
    parse: wholeNumber(2, 100),
  }),
  releasePublicKey: setting<string | undefined>({
    env: 'DOMESDAY_RELEASE_PUBLIC_KEY',
    flag: 'release-public-key',
    fallback: undefined,
    placeholder: 'KEYS',
    help: 'Whose signature a replica asks for: what domesday releases keygen printed; several, separated by commas, while a key is replaced. Nothing else is served then.',
    parse: text,
  }),
  signingKey: setting<string | undefined>({
    env: 'DOMESDAY_SIGNING_KEY',
    flag: 'signing-key',
    fallback: undefined,
    placeholder: 'FILE',
    help: 'The private key that domesday releases publish signs with; replicas do not need it.',
    parse: text,
  }),
  cacheMegabytes: setting({
    env: 'DOMESDAY_CACHE_MEGABYTES',
    flag: 'cache-megabytes',
    fallback: 1_024,
    placeholder: 'N',
    help: 'Room on disk for kept answers of each live service; beyond it those go that were used longest ago.',
    parse: wholeNumber(16, 1_000_000),
  }),
  ...dashboardSettings,
  ...peopleSettings,
  ...tracingSettings,
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
  const read = <T>({ env: variable, flag, fallback, secrecy, parse }: Setting<T>): T => {
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
  const valuationSite = read(settings.valuationSite);
  const valuationTerms = read(settings.valuationTerms);
  if (valuationSite !== undefined && valuationTerms !== 'accepted') {
    throw new BadSetting(
      `${settings.valuationSite.env} is set, but the site's terms forbid commercial use; if your use keeps them, set ${settings.valuationTerms.env} to accepted.`,
      flags[settings.valuationSite.flag] === undefined ? 'environment' : 'flag',
    );
  }
  return {
    host: read(settings.host),
    port: read(settings.port),
    home: read(settings.home),
    databaseUrl: read(settings.databaseUrl),
    publicUrl: read(settings.publicUrl),
    workers: read(settings.workers),
    log: read(settings.log),
    logFormat: read(settings.logFormat),
    slowRequestMs: read(settings.slowRequestMs),
    metricsToken: read(settings.metricsToken),
    metricsPort: read(settings.metricsPort),
    trustProxy: read(settings.trustProxy),
    failedKeysPerMinute: read(settings.failedKeysPerMinute),
    publicSandbox: read(settings.publicSandbox),
    drainSeconds: read(settings.drainSeconds),
    demoAccount: read(settings.demoAccount),
    watchReleaseMs: read(settings.watchReleaseMs),
    valuationSite,
    valuationTerms,
    policeApi: read(settings.policeApi),
    cacheMegabytes: read(settings.cacheMegabytes),
    releasesUrl: read(settings.releasesUrl),
    releasesEverySeconds: read(settings.releasesEverySeconds),
    releasesKeep: read(settings.releasesKeep),
    releasePublicKey: read(settings.releasePublicKey),
    signingKey: read(settings.signingKey),
    update: read(settings.update),
    updateSet: read(settings.updateSet),
    updateFrom: read(settings.updateFrom),
    updateAddresses: read(settings.updateAddresses),
    updateRhythm: read(settings.updateRhythm),
    acceptLicences: read(settings.acceptLicences),
    contact: read(settings.contact),
    planChanges: read(settings.planChanges),
    signUp: read(settings.signUp),
    smtpUrl: read(settings.smtpUrl),
    mailFrom: read(settings.mailFrom),
    otlpEndpoint: read(settings.otlpEndpoint),
    otlpTracesEndpoint: read(settings.otlpTracesEndpoint),
    otlpHeaders: read(settings.otlpHeaders),
    otelServiceName: read(settings.otelServiceName),
    otelResourceAttributes: read(settings.otelResourceAttributes),
    tracesSampler: read(settings.tracesSampler),
    tracesSamplerArg: read(settings.tracesSamplerArg),
  };
}
