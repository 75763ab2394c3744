// The live service that may be asked during a call, the public valuation site: what it says of itself, and how it is
// opened. A start without the setting loads none of it.

import path from 'node:path';
import { type Settings, settings as settingTable } from '../config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Clock } from './fair-turns.ts';
import type { ValuationSite } from './valuation-site.ts';

/** What /datasets says of a live service. */
type LiveFacts = {
  readonly name: string;
  readonly address: string;
  readonly publisher: string;
  readonly usedFor: string;
  /** What binds whoever uses its answers. */
  readonly terms: string;
};

export type LiveService = {
  readonly facts: LiveFacts;
  /** The site as it is asked for one account: where it is slow, accounts take turns. */
  readonly valuationSiteFor: (account: string) => ValuationSite;
};

const terms =
  'The terms of the public valuation site forbid commercial use of its data; the operator has accepted them.';

/** For docs/data-sources.md, after the name of the setting. */
export const aboutValuationSite = `council tax bands, from the public valuation site (Valuation Office Agency, https://www.tax.service.gov.uk/check-council-tax-band). **Its terms say that the data is not to be used for commercial use**; addresses on it are also © Ordnance Survey and the Improvement and Development Agency. The service does not start with it unless \`${settingTable.valuationTerms.env}=accepted\` is set as well. At most one request a second for the whole process, answers kept for thirty days in \`<home>/cache/valuations\`; the loaded lists of councils come first.`;

/** Of one request; the site mostly answers within a second. */
const timeoutMs = 8_000;

/** Undefined where the operator has not switched it on. */
export async function openLiveService(
  { valuationSite: address, home, cacheMegabytes }: Settings,
  clock: Clock,
  metrics: Metrics,
): Promise<LiveService | undefined> {
  if (address === undefined) return undefined;
  const { openValuationSite } = await import('./valuation-site.ts');
  const valuationSiteFor = openValuationSite(
    {
      metrics,
      baseUrl: address,
      cacheFolder: path.join(home, 'cache', 'valuations'),
      cacheBytesMost: cacheMegabytes * 2 ** 20,
      deadline: (leftMs) => AbortSignal.timeout(Math.min(timeoutMs, leftMs)),
    },
    clock,
  );
  return { facts: factsOf(address), valuationSiteFor };
}

export const factsOf = (address: string): LiveFacts => ({
  name: 'valuation-site',
  address,
  publisher: 'Valuation Office Agency',
  usedFor: 'council tax bands where no list of the council is loaded',
  terms,
});

/** What an operator is told at a start with it; undefined where it is off. */
export const liveNotice = ({ valuationSite: address }: Settings): string | undefined =>
  address === undefined ? undefined : `bands come from ${address} where no list is loaded. ${terms}`;
