// The switches of the layers of a place, each with what became of its call.

import { useEffect } from 'preact/hooks';
import { credits } from '../../api/credits.ts';
import { countText, creditsText, numberText } from '../../formats.ts';
import { type Called, toldOf, useCall } from '../calls/use-call.ts';
import { usePayer } from '../payer.ts';
import { silenceOfSales } from '../prices/figures.ts';
import { unknownBecause } from '../silence.ts';
import type { ChosenLayers } from './chosen-layers.ts';
import { crimeTones, monthsOf } from './crime-layer.ts';
import { type LayerId, layerTitles, pointsText } from './layer.ts';
import { LayerSwitch } from './layer-switches.tsx';
import { type LayerWords, sentence, unansweredWords, unknownWords } from './layer-words.ts';
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
  return (
    <ul class="layers" aria-label="Layers of the map">
      {places.kind === 'refused' && places.terminated !== undefined ? (
        <li class="layer">
          <p class="layer-lacking">{withdrawn}</p>
        </li>
      ) : (
        <>
          <LayerSwitch {...switchOf('crime')} tones={crimeTones} words={crimeWords(crime)}>
            {crime.kind === 'refused' || !chosen.isOn('crime') ? null : (
              <MonthSlider
                months={toldCrime === undefined ? undefined : monthsOf(toldCrime)}
                month={month}
                onMonth={onMonth}
              />
            )}
          </LayerSwitch>
          {placeLayerIds.map((id) => (
            <LayerSwitch
              key={id}
              {...switchOf(id)}
              tones={tonesOfPlaces(id)}
              words={placesWords(id, places)}
            />
          ))}
        </>
      )}
      <LayerSwitch
        {...switchOf('sales')}
        tones={salesTones}
        words={salesWords(chosen.isOn('sales') ? sales : undefined, postcode)}
      >
        {chosen.isOn('sales') ? <AskSales postcode={postcode} onCalled={onSales} /> : <SalesCost />}
      </LayerSwitch>
    </ul>
  );
}

const withdrawn =
  'Crimes, schools, stations, bus stops and amenities are not counted around a postcode that is no longer in use.';

function crimeWords(crime: Called<'/crime/by-postcode'>): LayerWords {
  if (crime.kind !== 'answered') return unansweredWords(crime);
  const { totalCrimes, points = [], pointsTotal = points.length } = crime.told;
  return {
    standing: `${countText(totalCrimes, 'crime')} within a mile`,
    lacking:
      pointsTotal > points.length
        ? `The ${numberText(points.length)} points with the most crimes, of ${numberText(pointsTotal)}.`
        : undefined,
    legend: 'shown',
  };
}

function placesWords(id: (typeof placeLayerIds)[number], places: Called<'/area/places'>): LayerWords {
  if (places.kind !== 'answered') return ofOneCall(id, unansweredWords(places));
  const { kinds, radiusMetres } = places.told;
  const { total = 0, lacking = null } = kinds[id] ?? {};
  if (total === null) return unknownWords(unknownBecause(lacking ?? 'it is not known why'));
  const listed = listedPlaces(places.told, id).length;
  const lacks = [
    ...(lacking === null ? [] : [sentence(lacking)]),
    ...(total > listed ? [`The nearest ${numberText(listed)} are on the map.`] : []),
  ];
  return {
    // Where some may be missing, none that is known is not none.
    standing:
      total === 0 && lacking !== null
        ? 'none known'
        : `${pointsText(id, total)} within ${numberText(radiusMetres)} m`,
    lacking: lacks.length === 0 ? undefined : lacks.join(' '),
    legend: 'shown',
  };
}

/** One call is behind all of these: its first layer says why there is no answer. */
const ofOneCall = (id: (typeof placeLayerIds)[number], words: LayerWords): LayerWords =>
  id === placeLayerIds[0] ? words : { ...words, lacking: undefined };

function salesWords(sales: Called<'/area/sold-prices'> | undefined, postcode: string): LayerWords {
  if (sales === undefined) return { standing: '', legend: 'shown' };
  if (sales.kind !== 'answered') return unansweredWords(sales);
  const { totalResults, returned, positions = [] } = sales.told;
  const silence = silenceOfSales(sales);
  if (silence !== undefined && silence.kind !== 'none') return unknownWords(silence);
  const nowhere = positions.filter(({ latitude }) => latitude === null).length;
  const lacks = [
    ...(totalResults > returned
      ? [`The latest ${numberText(returned)} of ${numberText(totalResults)}.`]
      : []),
    ...(nowhere > 0 ? [`${countText(nowhere, 'postcode')} without a known point.`] : []),
  ];
  return {
    standing: `${countText(totalResults, 'sale')} in ${salesMonths} months, at postcodes that begin with ${sectorOf(postcode)}`,
    lacking: lacks.length === 0 ? undefined : lacks.join(' '),
    legend: 'shown',
  };
}

/** Said before it is spent: where no sale is loaded, it is free. */
function SalesCost() {
  const payer = usePayer();
  if (payer.kind === 'sandbox') return null;
  return (
    <p class="layer-lacking">
      Turning it on is one more call: up to {creditsText(credits['/area/sold-prices'])}.
    </p>
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
  const called = useCall({
    path: '/area/sold-prices',
    params: { sector: sectorOf(postcode), months: salesMonths, limit: 500, include: 'positions' },
  });
  const told = toldOf(called);
  useEffect(() => onCalled(called), [called.kind, told]);
  return null;
}
