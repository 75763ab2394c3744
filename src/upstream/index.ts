// Every live service: what it is called, which setting switches it on, what it says of itself, how it is opened. A start
// knows them all from here and loads only those that are on.

import path from 'node:path';
import { type Settings, settings as settingTable } from '../config.ts';
import { type LiveFacts, type LiveService, LiveServices, type OpenService } from '../contract/live.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { LiveOptions } from './live/ask-once.ts';
import type { Clock } from './live/fair-turns.ts';
import type { PoliceApi } from './police.ts';
import type { ValuationSite } from './valuation/site.ts';

type Upstream<Api> = LiveService<Api> & {
  /** The setting that holds its address; the service is off while there is none. */
  readonly setting: 'policeApi' | 'valuationSite';
  /** Under the home folder's cache/. */
  readonly cacheFolder: string;
  readonly facts: Omit<LiveFacts, 'name' | 'address'>;
  /** Printed at every start with the service on: where its terms bind more than its own licence does. */
  readonly notice?: (address: string) => string;
  /** For docs/data-sources.md, after the name of the setting. */
  readonly about: string;
  readonly open: (options: LiveOptions, clock: Clock) => Promise<OpenService<Api>>;
};

const listed = <Api>(service: Omit<Upstream<Api>, 'opened'>): Upstream<Api> => ({
  ...service,
  opened: new WeakMap(),
});

export const policeApi = listed<PoliceApi>({
  name: 'police-api',
  setting: 'policeApi',
  cacheFolder: 'police',
  facts: {
    publisher: 'Police forces of England, Wales and Northern Ireland, through data.police.uk',
    usedFor: 'crime where no archive is loaded',
    terms: 'Open Government Licence v3.0.',
  },
  about: 'crime, from data.police.uk. Open Government Licence v3.0.',
  open: async (options, clock) => (await import('./police.ts')).openPoliceApi(options, clock),
});

const siteTerms =
  'The terms of the public valuation site forbid commercial use of its data; the operator has accepted them.';

export const valuationSite = listed<ValuationSite>({
  name: 'valuation-site',
  setting: 'valuationSite',
  cacheFolder: 'valuations',
  facts: {
    publisher: 'Valuation Office Agency',
    usedFor: 'council tax bands where no list of the council is loaded',
    terms: siteTerms,
  },
  notice: (address) => `bands come from ${address} where no list is loaded. ${siteTerms}`,
  about: `council tax bands, from the public valuation site (Valuation Office Agency, https://www.tax.service.gov.uk/check-council-tax-band). **Its terms say that the data is not to be used for commercial use**; addresses on it are also © Ordnance Survey and the Improvement and Development Agency. The service does not start with it unless \`${settingTable.valuationTerms.env}=accepted\` is set as well. At most one request a second for the whole process, answers kept for thirty days in \`<home>/cache/valuations\`; the loaded lists of councils come first.`,
  open: async (options, clock) => (await import('./valuation/site.ts')).openValuationSite(options, clock),
});

export const upstreams: readonly Upstream<unknown>[] = [policeApi, valuationSite];

/** Of one request; the services mostly answer within a second. */
const timeoutMs = 8_000;

export async function openUpstreams(
  settings: Settings,
  clock: Clock,
  metrics: Metrics,
): Promise<LiveServices> {
  const open = new LiveServices();
  for (const service of upstreams) {
    const address = settings[service.setting];
    if (address === undefined) continue;
    const cacheFolder = path.join(settings.home, 'cache', service.cacheFolder);
    const cacheBytesMost = settings.cacheMegabytes * 2 ** 20;
    const options = {
      name: service.name,
      metrics,
      baseUrl: address,
      cacheFolder,
      cacheBytesMost,
      sharers: settings.workers,
      deadline: () => AbortSignal.timeout(timeoutMs),
    };
    open.add(service, await service.open(options, clock), { address, ...service.facts });
  }
  return open;
}

/** What an operator is told at the start of the services that are on. */
export function noticesOf(settings: Settings): readonly string[] {
  return upstreams.flatMap(({ setting, notice }) => {
    const address = settings[setting];
    return address === undefined || notice === undefined ? [] : [notice(address)];
  });
}
