// What homes were sold for, and beside it in a second place.

import { useQuery } from '../../router.ts';
import type { PanelsWish, Place } from '../place.ts';
import { useCall } from '../use-call.ts';
import { Filters, TypeSwitch } from './filters.tsx';
import { type SaleWish, salesParams, saleWishIn, trendParams, withinText } from './question.ts';
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
  const trend = useCall('/area/sold-prices/trend', trendParams(other, wish));
  // Of the other place nothing is listed, so that neither page nor order matters.
  const sales = useCall(
    '/area/sold-prices',
    salesParams(other, { ...wish, sort: '', order: '', offset: '' }),
  );
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
  const trend = useCall('/area/sold-prices/trend', trendParams(place, wish));
  const sales = useCall('/area/sold-prices', salesParams(place, wish));
  const name = withinText(place, wish.within);
  return (
    <>
      <TrendPanel
        here={{ name, trend, sales }}
        beside={asked}
        wish={wish}
        controls={
          <div class="sale-controls">
            <TypeSwitch wish={wish} />
            <Filters place={place} wish={wish} />
          </div>
        }
      />
      <SalesPanel name={name} called={sales} wish={wish} place={place} beside={beside} />
    </>
  );
}
