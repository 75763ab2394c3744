// What homes were sold for, and beside it in a second place.

import type { ComponentChildren } from 'preact';
import type { ApiPath } from '../../api/call.ts';
import { isOfFilter } from '../../api/refusal-words.ts';
import { Notice } from '../../components/notice.tsx';
import { useQuery } from '../../router.ts';
import { salesBesideCall, salesCall, trendCall } from '../calls/place-calls.ts';
import { ThisCall } from '../calls/this-call.tsx';
import { type Called, useCall } from '../calls/use-call.ts';
import type { PanelsWish, Place } from '../place.ts';
import { Filters, isInForm, type Misfit, TypeSwitch } from './filters.tsx';
import { isUnpublished } from './no-sales.tsx';
import { type SaleWish, saleWishIn, usual, withinText } from './question.ts';
import { SalesPanel } from './sales.tsx';
import { type Asked, TrendPanel } from './trend.tsx';

export function PricesPanels({ place, beside }: PanelsWish) {
  const wish = saleWishIn(useQuery());
  return beside === undefined ? (
    <Prices place={place} wish={wish} beside={undefined} asked={undefined} />
  ) : (
    <ComparedPrices place={place} wish={wish} other={beside} />
  );
}

function ComparedPrices({
  place,
  wish,
  other,
}: {
  readonly place: Place;
  readonly wish: SaleWish;
  readonly other: Place;
}) {
  const trend = useCall(trendCall(other, wish));
  const sales = useCall(salesBesideCall(other, wish));
  return (
    <Prices
      place={place}
      wish={wish}
      beside={other}
      asked={{ name: withinText(other, wish.within), trend, sales }}
    />
  );
}

type PricesWish = PanelsWish & {
  readonly wish: SaleWish;
  /** Of the second place. */
  readonly asked: Asked | undefined;
};

function Prices({ place, wish, beside, asked }: PricesWish) {
  const trend = useCall(trendCall(place, wish));
  const sales = useCall(salesCall(place, wish));
  const name = withinText(place, wish.within);
  const misfit = misfitIn(trend) ?? misfitIn(sales);
  const trends = asked === undefined ? [trend] : [trend, asked.trend];
  // Another area may lie across the border.
  const isInVain = wish.within === usual.within && trends.every(isUnpublished);
  const controls = isInVain ? null : (
    <div class="sale-controls">
      <TypeSwitch wish={wish} />
      <Filters place={place} beside={beside} wish={wish} misfit={misfit} />
    </div>
  );
  if (misfit !== undefined)
    return (
      <WithoutSales name={name} misfit={misfit} calls={[trend, sales]}>
        {controls}
      </WithoutSales>
    );
  return (
    <>
      <TrendPanel here={{ name, trend, sales }} beside={asked} wish={wish} controls={controls} />
      <SalesPanel name={name} called={sales} wish={wish} place={place} beside={beside} />
    </>
  );
}

const misfitIn = (called: Called<ApiPath>): Misfit | undefined =>
  called.kind === 'refused' && isOfFilter(called.code) ? called : undefined;

type WithoutSalesWish = {
  readonly name: string;
  readonly misfit: Misfit;
  readonly calls: readonly Called<ApiPath>[];
  readonly children: ComponentChildren;
};

/** A slip in a filter is told once, at its field, in place of two panels that have no answer. */
function WithoutSales({ name, misfit: { field, message }, calls, children }: WithoutSalesWish) {
  return (
    <section class="panel" id="prices" aria-labelledby="prices-title">
      <h2 id="prices-title">Sold prices in {name}</h2>
      {children}
      <Notice tone="warning" title="A filter does not fit">
        {field !== undefined && isInForm(field)
          ? 'Correct the field that is marked above, or clear the filters.'
          : `${message} Clear the filters to see all sales.`}
      </Notice>
      <footer class="panel-foot">
        <ThisCall calls={calls} />
      </footer>
    </section>
  );
}
