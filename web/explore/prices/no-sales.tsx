// What stands where no sale is listed: that there was none, that none is loaded, or that nobody publishes them.

import { EmptyState } from '../../components/notice.tsx';
import type { Silence } from '../silence.ts';

type NoSalesWish = {
  /** "PO33". */
  readonly name: string;
  readonly silence: Silence;
  /** "from 1 Jan 2026 to 1 Mar 2026" */
  readonly when: string;
};

export function NoSales({ name, silence, when }: NoSalesWish) {
  switch (silence.kind) {
    case 'none':
      return (
        <EmptyState title="No matching sales">
          The register has no sale in {name} that matches, {when}. Look further back, or remove a filter.
        </EmptyState>
      );
    case 'not loaded':
      return (
        <EmptyState title={`No matching sale in ${name} is loaded`}>
          We do not know whether there were any: {silence.why}. HM Land Registry publishes every sale in
          England and Wales as Price Paid Data; whoever runs this service can load it.
        </EmptyState>
      );
    case 'not published':
      return (
        <EmptyState title={`Sales in ${name} are not published`}>
          We do not know any: {silence.why}. Scotland’s sales are kept by Registers of Scotland, Northern
          Ireland’s by Land &amp; Property Services; neither publishes them one by one.
        </EmptyState>
      );
  }
}
