// The switches of the layers of a place, each with what became of its call.

import { useEffect } from 'preact/hooks';
import { type Answers, credits } from '../../api/answers.ts';
import type { ApiPath } from '../../api/call.ts';
import { countText, creditsText, numberText } from '../../formats.ts';
import { usePayer } from '../payer.ts';
import { silenceOfSales } from '../prices/figures.ts';
import { type Called, toldOf, useCall } from '../use-call.ts';
import type { ChosenLayers } from './chosen-layers.ts';
import { crimeTones, monthsOf } from './crime-layer.ts';
import { type LayerId, layerTitles, pointsText } from './layer.ts';
import { LayerSwitch } from './layer-switches.tsx';
import { MonthSlider } from './month-slider.tsx';
import { listedPlaces, placeLayerIds, tonesOfPlaces } from './places-layers.ts';
import { salesTones, sectorOf } from './sales-layer.ts';

const salesMonths = 24;

type PlaceLayersWish = {
  readonly postcode: string;
  readonly crime: Called<'/crime/by-postcode'>;
  readonly places: Called<'/area/places'>;
  /** Undefined until the layer was on. */
  readonly sales: Called<'/area/sold-prices'> | undefined;
  readonly chosen: ChosenLayers;
  readonly month: string | undefined;
  readonly onMonth: (month: string | undefined) => void;
  readonly onSales: (sales: Called<'/area/sold-prices'>) => void;
};

export function PlaceLayers(wish: PlaceLayersWish) {
  const { postcode, crime, places, sales, chosen, month, onMonth, onSales } = wish;
  const switchOf = (id: LayerId) => ({
    id,
    title: layerTitles[id],
    state: chosen.isOn(id) ? ('on' as const) : ('off' as const),
    onTurn: (to: 'on' | 'off') => chosen.turn(id, to),
  });
  const toldCrime = toldOf(crime);
  const toldPlaces = toldOf(places);
  const asked = chosen.isOn('sales') ? sales : undefined;
  return (
    <ul class="layers" aria-label="Layers of the map">
      <LayerSwitch
        {...switchOf('crime')}
        tones={crimeTones}
        standing={standingOf(
          crime,
          toldCrime && `${countText(toldCrime.totalCrimes, 'crime')} within a mile`,
        )}
        lacking={crimeLack(crime)}
      >
        {crime.kind === 'refused' || !chosen.isOn('crime') ? null : (
          <MonthSlider
            months={toldCrime === undefined ? undefined : monthsOf(toldCrime)}
            month={month}
            onMonth={onMonth}
          />
        )}
      </LayerSwitch>
      {placeLayerIds.map((id) => {
        return (
          <LayerSwitch
            key={id}
            {...switchOf(id)}
            tones={tonesOfPlaces(id)}
            standing={standingOf(places, toldPlaces && totalWords(id, toldPlaces))}
            lacking={placesLack(id, places)}
          />
        );
      })}
      <LayerSwitch
        {...switchOf('sales')}
        tones={salesTones}
        standing={asked === undefined ? '' : standingOf(asked, salesStanding(asked, postcode))}
        lacking={asked === undefined ? undefined : salesLack(asked)}
      >
        {chosen.isOn('sales') ? <AskSales postcode={postcode} onCalled={onSales} /> : <SalesCost />}
      </LayerSwitch>
    </ul>
  );
}

const standingOf = (called: Called<ApiPath>, told: string | undefined): string => {
  if (called.kind === 'loading') return 'on their way';
  return called.kind === 'refused' ? 'no answer' : (told ?? '');
};

function crimeLack(crime: Called<'/crime/by-postcode'>): string | undefined {
  if (crime.kind !== 'answered') return refusalOf(crime);
  const { points = [], pointsTotal = points.length } = crime.told;
  return pointsTotal > points.length
    ? `The ${numberText(points.length)} points with the most crimes, of ${numberText(pointsTotal)}.`
    : undefined;
}

function placesLack(id: (typeof placeLayerIds)[number], places: Called<'/area/places'>): string | undefined {
  // One call is behind all of these: its first layer says why there is no answer.
  if (places.kind !== 'answered') return id === placeLayerIds[0] ? refusalOf(places) : undefined;
  const { total = 0, lacking = null } = places.told.kinds[id] ?? {};
  if (total === null) return `Not known: ${lacking}.`;
  const listed = listedPlaces(places.told, id).length;
  const lacks = [
    ...(lacking === null ? [] : [`${lacking.slice(0, 1).toUpperCase()}${lacking.slice(1)}.`]),
    ...(total > listed ? [`The nearest ${numberText(listed)} are on the map.`] : []),
  ];
  return lacks.length === 0 ? undefined : lacks.join(' ');
}

/** Where some may be missing, none that is known is not none. */
function totalWords(
  id: (typeof placeLayerIds)[number],
  { kinds, radiusMetres }: Answers['/area/places'],
): string | undefined {
  const kind = kinds[id];
  if (kind === undefined) return undefined;
  const { total, lacking } = kind;
  if (total === null) return 'not known';
  return total === 0 && lacking !== null
    ? 'none known'
    : `${pointsText(id, total)} within ${numberText(radiusMetres)} m`;
}

const refusalOf = (called: Called<ApiPath>): string | undefined =>
  called.kind === 'refused' ? called.message : undefined;

function salesStanding(sales: Called<'/area/sold-prices'>, postcode: string): string | undefined {
  if (sales.kind !== 'answered') return undefined;
  return (silenceOfSales(sales)?.kind ?? 'none') === 'none'
    ? `${countText(sales.told.totalResults, 'sale')} in ${salesMonths} months, at postcodes that begin with ${sectorOf(postcode)}`
    : 'not known';
}

function salesLack(sales: Called<'/area/sold-prices'>): string | undefined {
  if (sales.kind !== 'answered') return refusalOf(sales);
  const { totalResults, returned, positions = [] } = sales.told;
  const silence = silenceOfSales(sales);
  if (silence !== undefined && silence.kind !== 'none') return `Not known: ${silence.why}.`;
  const nowhere = positions.filter(({ latitude }) => latitude === null).length;
  const lacking = [
    ...(totalResults > returned
      ? [`The latest ${numberText(returned)} of ${numberText(totalResults)}.`]
      : []),
    ...(nowhere > 0 ? [`${countText(nowhere, 'postcode')} without a known point.`] : []),
  ];
  return lacking.length === 0 ? undefined : lacking.join(' ');
}

/** Said before it is spent. */
function SalesCost() {
  const payer = usePayer();
  if (payer.kind === 'sandbox') return null;
  return (
    <p class="layer-lacking">Turning it on is one more call: {creditsText(credits['/area/sold-prices'])}.</p>
  );
}

/** Asks while it is there. */
function AskSales({
  postcode,
  onCalled,
}: {
  readonly postcode: string;
  readonly onCalled: (called: Called<'/area/sold-prices'>) => void;
}) {
  const called = useCall('/area/sold-prices', {
    sector: sectorOf(postcode),
    months: salesMonths,
    limit: 500,
    include: 'positions',
  });
  const told = toldOf(called);
  useEffect(() => onCalled(called), [called.kind, told]);
  return null;
}
