// Council tax of the place: what each band pays, what a band means, other years, other authorities, and the band of one home.

import { Table } from '../../components/table.tsx';
import { amountText, percentText } from '../../formats.ts';
import { councilTaxCall } from '../calls/place-calls.ts';
import { useCall } from '../calls/use-call.ts';
import { OnRequest } from '../on-request.tsx';
import { type HalfWish, InHalves, Panel } from '../panel.tsx';
import type { PanelsWish } from '../place.ts';
import { taxDatasets } from '../use-coverage.ts';
import {
  amountOf,
  bandsIn,
  type CouncilTax,
  type Letter,
  type Nation,
  nationOf,
  valuationDay,
  valueText,
  type Year,
  yearsOf,
} from './bands.ts';
import { Neighbours } from './neighbours.tsx';
import { PropertyBand } from './property-band.tsx';

export const CouncilTaxPanels = (places: PanelsWish) => (
  <InHalves {...places} id="council-tax" title="Council tax" rooms={rooms} PanelOf={CouncilTaxPanel} />
);

const rooms = { whole: { desk: 780, phone: 1050 }, half: { desk: 1060, phone: 1700 } };

function CouncilTaxPanel({ id, title, place: { postcode }, room }: HalfWish) {
  const called = useCall(councilTaxCall(postcode));
  return (
    <Panel id={id} title={title} called={called} figuresFrom={taxDatasets} room={room}>
      {(told) => (
        <div class="council-tax">
          <p class="lead-figure">
            <strong>{amountText(told.councilTaxBands.band_d)}</strong>{' '}
            <span>
              a year for a home in band D, {told.authority}, {told.taxYear}.
            </span>
          </p>
          <Bands told={told} />
          <OnRequest summary="What nearby authorities charge" cost={1}>
            {() => <Neighbours postcode={postcode} own={told.ons_code} />}
          </OnRequest>
          <OnRequest summary="Which band is a home here in?" cost={0}>
            {() => <PropertyBand postcode={postcode} />}
          </OnRequest>
        </div>
      )}
    </Panel>
  );
}

const yearsMost = 4;

function Bands({ told }: { readonly told: CouncilTax }) {
  const nation = nationOf(told.ons_code);
  const listed = yearsOf(told).slice(0, yearsMost);
  const [newest] = listed;
  const shown = newest === undefined ? [] : bandsIn(newest.councilTaxBands).map(({ letter }) => letter);
  return (
    <>
      <Table
        caption={`Council tax by band, ${told.authority}`}
        rows={shown}
        keyOf={(letter) => letter}
        narrow="headed lines"
        columns={[
          {
            title: nation === undefined ? 'Band' : `Band: value on ${valuationDay(nation)}`,
            kind: 'name',
            cell: (letter) => <Band letter={letter} nation={nation} />,
          },
          ...listed.map((year) => ({
            title: year.taxYear,
            kind: 'number' as const,
            ...(year === newest ? { inLines: 'beside the name' as const } : {}),
            cell: (letter: Letter) => <Amount year={year} letter={letter} />,
          })),
          ...(newest === undefined
            ? []
            : [
                {
                  title: 'Of band D',
                  kind: 'number' as const,
                  cell: (letter: Letter) => ratioText(newest, letter),
                },
              ]),
        ]}
      />
      <p class="band-words">{meaning(nation)}</p>
    </>
  );
}

function Band({ letter, nation }: { readonly letter: Letter; readonly nation: Nation | undefined }) {
  return (
    <span class="band">
      <span class="band-letter">{letter.toUpperCase()}</span>
      {nation === undefined ? null : <span class="band-value">{valueText(nation, letter)}</span>}
    </span>
  );
}

function Amount({ year, letter }: { readonly year: Year; readonly letter: Letter }) {
  const amount = amountOf(year.councilTaxBands, letter);
  return (
    <span class={amount === undefined ? 'soft' : ''}>
      {amount === undefined ? 'not known' : amountText(amount)}
    </span>
  );
}

function ratioText({ councilTaxBands }: Year, letter: Letter): string {
  const amount = amountOf(councilTaxBands, letter);
  // Amounts are rounded to pence, so that twice as much is hardly ever exactly that.
  return amount === undefined ? '' : percentText(Math.round((1000 * amount) / councilTaxBands.band_d) / 1000);
}

function meaning(nation: Nation | undefined): string {
  const besides =
    nation === 'Scotland'
      ? 'water and sewerage come on top'
      : `a ${nation === 'Wales' ? 'community' : 'parish'} or town council can add to them`;
  const average = `Amounts are averages over the authority for two adults; ${besides}.`;
  if (nation === undefined) return average;
  const day = valuationDay(nation);
  return `A band says what the home would have sold for on ${day}, not what it is worth today. ${average}`;
}
