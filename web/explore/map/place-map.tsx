// The map of a place with its layers. Each layer is an answer of the API; where a call is refused, its layers say so and the
// others stay.

import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { ApiPath } from '../../api/call.ts';
import { Disclosure } from '../../components/disclosure.tsx';
import { tilesAddress, tilesAttribution } from '../../document-facts.ts';
import { radiusMetres } from '../calls/place-calls.ts';
import { ThisCall } from '../calls/this-call.tsx';
import { type Called, toldOf } from '../calls/use-call.ts';
import { usePayer } from '../payer.ts';
import type { Place } from '../place.ts';
import { silenceOfSales } from '../prices/figures.ts';
import { useChosenLayers } from './chosen-layers.ts';
import { crimeLayers } from './crime-layer.ts';
import { Ground } from './drawing/ground.ts';
import type { MapView } from './drawing/map-view.ts';
import { PictureTiles } from './drawing/picture-tiles.ts';
import { type LayerId, type MapLayer, pointsText, layerTitles as titles } from './layer.ts';
import { LayerList } from './layer-list.tsx';
import { MapCanvas } from './map-canvas.tsx';
import { PlaceLayers } from './place-layers.tsx';
import { placeLayerIds, placesLayer } from './places-layers.ts';
import { salesLayer } from './sales-layer.ts';
import { type GroundSign, GroundSwatch } from './swatch.tsx';

/** From the lowest to the topmost. */
const paintOrder: readonly LayerId[] = ['crime', 'sales', 'amenities', 'stops', 'stations', 'schools'];
const mileMetres = 1_609.344;

type PlaceMapWish = {
  readonly place: Place;
  readonly latitude: number;
  readonly longitude: number;
  readonly places: Called<'/area/places'>;
  readonly crime: Called<'/crime/by-postcode'>;
  /** Undefined until the layer was on. */
  readonly sales: Called<'/area/sold-prices'> | undefined;
  readonly onSales: (sales: Called<'/area/sold-prices'>) => void;
};

export function PlaceMap(wish: PlaceMapWish) {
  const { place, latitude, longitude, places, crime, sales, onSales } = wish;
  const [month, setMonth] = useState<string | undefined>(undefined);
  const chosen = useChosenLayers();
  const view = useRef<MapView | undefined>(undefined);
  const { ground, pictures, attributions } = useGround(view);
  const toldCrime = toldOf(crime);
  const toldPlaces = toldOf(places);
  // Where none is known there is no layer, which would say that there is none.
  const toldSales =
    sales?.kind === 'answered' && (silenceOfSales(sales)?.kind ?? 'none') === 'none' ? sales.told : undefined;
  const made = useLayers(toldCrime, toldPlaces, toldSales, month);
  const on = paintOrder.filter(chosen.isOn).join();
  const layers = useMemo(
    () => paintOrder.flatMap((id) => (on.split(',').includes(id) ? (made.get(id) ?? []) : [])),
    [on, made],
  );
  // Of a month that was not published, or is not loaded, nobody knows where there were crimes.
  const isMonthKnown = month === undefined || toldCrime?.monthlyTotals[month] !== undefined;
  const drawn = useMemo(
    () => (isMonthKnown ? layers : layers.filter(({ id }) => id !== 'crime')),
    [layers, isMonthKnown],
  );
  const isCounted = on.includes('crime') && crime.kind !== 'refused';
  const circles = useMemo(
    () => [{ radiusMetres }, ...(isCounted ? [{ radiusMetres: mileMetres }] : [])],
    [isCounted],
  );
  const show = (hit: { readonly layer: LayerId; readonly point: number }) => {
    view.current?.show(hit);
    document.getElementById('map')?.scrollIntoView({ block: 'start' });
  };
  const calls = {
    crime,
    schools: places,
    stations: places,
    stops: places,
    amenities: places,
    sales,
  };
  return (
    <div class="map-layout">
      <MapCanvas
        title={place.title}
        latitude={latitude}
        longitude={longitude}
        radiusMetres={radiusMetres}
        layers={drawn}
        circles={circles}
        titles={titles}
        stations={chosen.isOn('stations') ? 'shown' : 'left out'}
        ground={ground}
        pictures={pictures}
        view={view}
      />
      <MapSource
        place={place}
        crimes={isCounted ? 'shown' : 'not shown'}
        fault={pictures?.fault}
        attributions={attributions}
      />
      <PlaceLayers
        postcode={place.postcode}
        crime={crime}
        places={places}
        sales={sales}
        chosen={chosen}
        month={month}
        onMonth={setMonth}
        onSales={onSales}
      />
      <MapLists layers={layers} drawn={drawn} calls={calls} onShow={show} />
    </div>
  );
}

type MapListsWish = {
  readonly layers: readonly MapLayer[];
  /** Of the others it is not known what they have. */
  readonly drawn: readonly MapLayer[];
  readonly calls: Readonly<Record<LayerId, Called<ApiPath> | undefined>>;
  readonly onShow: Parameters<typeof LayerList>[0]['onShow'];
};

/** Whether there are none or none is known, the switch of a layer says. The list of crimes stays open from month to month. */
function MapLists({ layers, drawn, calls, onShow }: MapListsWish) {
  return (
    <div class="map-lists">
      {layers
        .toReversed()
        .filter(({ id, xs }) => id === 'crime' || xs.length > 0)
        .map((layer) => (
          <OpenedList
            key={layer.id}
            layer={layer}
            title={titles[layer.id]}
            count={drawn.includes(layer) ? pointsText(layer.id, layer.xs.length) : 'not known'}
            called={calls[layer.id]}
            onShow={onShow}
          />
        ))}
    </div>
  );
}

function useLayers(
  crime: Parameters<typeof crimeLayers>[0] | undefined,
  places: Parameters<typeof placesLayer>[0] | undefined,
  sales: Parameters<typeof salesLayer>[0] | undefined,
  month: string | undefined,
): ReadonlyMap<LayerId, MapLayer> {
  const crimesOf = useMemo(() => (crime === undefined ? undefined : crimeLayers(crime)), [crime]);
  const crimes = useMemo(() => (crimesOf === undefined ? [] : [crimesOf(month)]), [crimesOf, month]);
  const around = useMemo(
    () => (places === undefined ? [] : placeLayerIds.flatMap((id) => placesLayer(places, id) ?? [])),
    [places],
  );
  const sold = useMemo(() => (sales === undefined ? [] : [salesLayer(sales)]), [sales]);
  return useMemo(
    () => new Map([...crimes, ...around, ...sold].map((layer) => [layer.id, layer])),
    [crimes, around, sold],
  );
}

/** The ground of the release that the reader's calls are answered from. */
function useGround(view: { readonly current: MapView | undefined }) {
  const payer = usePayer();
  const which = payer.kind === 'sandbox' ? 'sandbox' : 'live';
  const [attributions, setAttributions] = useState<readonly string[]>([]);
  const repaint = useCallback(() => view.current?.repaint(), []);
  const ground = useMemo(() => {
    const made: Ground = new Ground(which, () => {
      setAttributions(made.attributions);
      repaint();
    });
    return made;
  }, [which]);
  const [, setFault] = useState<string | undefined>(undefined);
  const pictures = useMemo(() => {
    if (tilesAddress === undefined) return undefined;
    const made: PictureTiles = new PictureTiles(tilesAddress, () => {
      setFault(made.fault);
      repaint();
    });
    return made;
  }, []);
  return { ground, pictures, attributions };
}

const groundWords = ({ kind, title }: Place): readonly (readonly [sign: GroundSign, words: string])[] => [
  ['place', kind === 'postcode' ? 'This postcode' : `Centre of ${title}`],
  ['postcode', 'Postcode'],
  ['built', 'Built-up land: around each loaded postcode'],
  ['park', 'Park'],
];

/** What ground and circles mean, and whom the ground is from. */
function MapSource({
  place,
  crimes,
  fault,
  attributions,
}: {
  readonly place: Place;
  readonly crimes: 'shown' | 'not shown';
  readonly fault: string | undefined;
  readonly attributions: readonly string[];
}) {
  return (
    <div class="map-ground">
      <ul class="legend legend-ground" aria-label="The ground">
        {groundWords(place).map(([sign, words]) => (
          <li key={sign}>
            <GroundSwatch sign={sign} /> {words}
          </li>
        ))}
      </ul>
      <p class="map-source">
        The dashed circle is {radiusMetres} metres around the postcode’s point.{' '}
        {crimes === 'shown' ? 'Crimes are counted within a mile: zoom out to see that circle too. ' : ''}
        {fault === undefined ? null : `The map tiles cannot be shown: ${fault}. `}
        {attributions.some((each) => each.includes('OpenStreetMap'))
          ? 'Parks and amenities © OpenStreetMap contributors. '
          : null}
        {tilesAttribution}
      </p>
      <details class="map-list">
        <summary>Whose data the ground is drawn from</summary>
        {attributions.map((each) => (
          <p class="map-source" key={each}>
            {each}
          </p>
        ))}
      </details>
    </div>
  );
}

function OpenedList({
  layer,
  title,
  count,
  called,
  onShow,
}: {
  readonly layer: MapLayer;
  readonly title: string;
  /** How many points it has; in words where that is not known. */
  readonly count: string;
  readonly called: Called<ApiPath> | undefined;
  readonly onShow: Parameters<typeof LayerList>[0]['onShow'];
}) {
  return (
    <Disclosure
      class="map-list"
      summary={
        <>
          {title} as a list <span class="soft">{count}</span>
        </>
      }
    >
      {() => (
        <>
          <LayerList layer={layer} title={title} onShow={onShow} />
          {called === undefined ? null : <ThisCall calls={[called]} />}
        </>
      )}
    </Disclosure>
  );
}
