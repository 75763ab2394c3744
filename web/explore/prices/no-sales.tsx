// What stands where no sale is listed: that there was none, that none is loaded, or that nobody publishes them.

import { EmptyState } from '../../components/notice.tsx';
import type { Called } from '../calls/use-call.ts';
import type { Silence } from '../silence.ts';
import { silenceOfSales } from './figures.ts';

type NoSalesWish = {
  /** "PO33". */
  readonly name: string;
  readonly silence: Silence;
  /** "from 1 Jan 2026 to 1 Mar 2026" */
  readonly when: string;
};

export function NoSales({ name, silence, when }: NoSalesWish) {
  const title = titleOf(name, silence);
  switch (silence.kind) {
    case 'none':
      return (
        <EmptyState title={title}>
          The register has no sale in {name} that matches, {when}. Look further back, or remove a filter.
        </EmptyState>
      );
    case 'not loaded':
      return (
        <EmptyState title={title}>
          We do not know whether there were any: {silence.why}. HM Land Registry publishes every sale in
          England and Wales as Price Paid Data; whoever runs this service can load it.
        </EmptyState>
      );
    case 'not published':
      return (
        <EmptyState title={title}>
          None is known here: {silence.why}. Scotland’s sales are kept by Registers of Scotland, Northern
          Ireland’s by Land &amp; Property Services; neither publishes them one by one.
        </EmptyState>
      );
  }
}

/** Below a panel that tells why. */
export function StillNoSales({ name, silence }: Omit<NoSalesWish, 'when'>) {
  return <p class="nothing">{titleOf(name, silence)}.</p>;
}

function titleOf(name: string, { kind }: Silence): string {
  switch (kind) {
    case 'none':
      return `No matching sales in ${name}`;
    case 'not loaded':
      return `No matching sale in ${name} is loaded`;
    case 'not published':
      return `Sales in ${name} are not published`;
  }
}

type SalesCalled = Called<'/area/sold-prices'> | Called<'/area/sold-prices/trend'>;

const silenceKind = (called: SalesCalled): Silence['kind'] =>
  (called.kind === 'answered' ? silenceOfSales(called)?.kind : undefined) ?? 'none';

/** What a panel says above its content: where no sale is known, the content tells why. */
export const toldAbove = (called: SalesCalled): 'all of it' | 'nothing' =>
  silenceKind(called) === 'none' ? 'all of it' : 'nothing';

/** Whatever is chosen, there are none. */
export const isUnpublished = (called: SalesCalled): boolean => silenceKind(called) === 'not published';
