// A place on one page of paper, and a second one on a page of its own: the main figures of each panel, with their sources and days. It asks what the panels ask, so that
// whoever comes from the place pays nothing again.

import type { ComponentChildren } from 'preact';
import type { Answers } from '../api/answers.ts';
import type { ApiPath } from '../api/call.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Loading, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { Terms } from '../components/parts.tsx';
import { apiOrigin } from '../document-facts.ts';
import { countText, dateText, dayText, monthText, numberText, poundsText } from '../formats.ts';
import { taxDatasets } from './council-tax/datasets.ts';
import { kindsOf } from './crime/months.ts';
import { useCanonicalPath } from './find-place.tsx';
import { type PanelsWish, type Place, pathOf, withText } from './place.ts';
import { salesParams, usual, withinText } from './prices/question.ts';
import { type Called, toldOf, useCall } from './use-call.ts';
import { type DatasetName, useCoverage } from './use-coverage.ts';

type ReportWish = PanelsWish & {
  /** As it stands in the address. */
  readonly slug: string;
  /** Why there is no second place, though the address says so. */
  readonly problem: string | undefined;
};

export function Report({ slug, place, beside, problem }: ReportWish) {
  useCanonicalPath(slug, place, '/report');
  return (
    <Page
      title={beside === undefined ? place.title : `${place.title} and ${beside.title}`}
      lead={beside === undefined ? <Where place={place} /> : 'One page of paper for each place.'}
      actions={
        <>
          <Button look="primary" onPress={() => print()}>
            Print
          </Button>
          <LinkButton href={`${pathOf(place)}${withText(beside)}`}>
            {beside === undefined ? 'Back to the place' : 'Back to the places'}
          </LinkButton>
        </>
      }
    >
      {problem === undefined ? null : <Notice tone="warning">{problem}</Notice>}
      {beside === undefined ? (
        <Reported place={place} heading="h2" />
      ) : (
        [place, beside].map((each) => (
          <section key={each.slug} class="report-place" aria-labelledby={`report-${each.slug}`}>
            <h2 id={`report-${each.slug}`}>{each.title}</h2>
            <p>
              <Where place={each} />
            </p>
            <Reported place={each} heading="h3" />
          </section>
        ))
      )}
    </Page>
  );
}

function Where({ place: { postcode } }: { readonly place: Place }) {
  const told = toldOf(useCall('/postcodes/lookup', { postcode }));
  const names = [told?.ward?.name, told?.authority?.name, told?.nation?.name];
  return <>{names.filter(Boolean).join(', ') || '…'}</>;
}

/** `h3`: below the name of one of two places. */
type Heading = 'h2' | 'h3';

function Reported({ place, heading }: { readonly place: Place; readonly heading: Heading }) {
  const { postcode } = place;
  const statistics = useCall('/area/statistics', { postcode });
  const sales = useCall('/area/sold-prices', salesParams(place, usual));
  const crime = useCall('/crime/by-postcode', { postcode, months: 12, points: 'true', limit: 2000 });
  const tax = useCall('/council-tax/lookup', { postcode, allYears: 'true' });
  return (
    <>
      <div class="report">
        <ReportPart heading={heading} title="Area" called={statistics}>
          {(told) => <Terms terms={areaTerms(told)} />}
        </ReportPart>
        <ReportPart
          heading={heading}
          title={`Sold prices in ${withinText(place, usual.within)}`}
          called={sales}
        >
          {(told) => <Terms terms={salesTerms(told)} />}
        </ReportPart>
        <ReportPart heading={heading} title="Crime within a mile" called={crime}>
          {(told) => <Terms terms={crimeTerms(told)} />}
        </ReportPart>
        <ReportPart heading={heading} title="Council tax" called={tax} figuresFrom={taxDatasets}>
          {(told) => <TaxBands tax={told} />}
        </ReportPart>
      </div>
      <p class="report-foot">
        {apiOrigin}
        {pathOf(place)} · made on {dateText(Date.now())}
      </p>
    </>
  );
}

type PartWish<Path extends ApiPath> = {
  readonly heading: Heading;
  readonly title: string;
  readonly called: Called<Path>;
  /** As in a panel. */
  readonly figuresFrom?: readonly DatasetName[];
  readonly children: (told: Answers[Path]) => ComponentChildren;
};

function ReportPart<Path extends ApiPath>({
  heading: Heading,
  title,
  called,
  figuresFrom,
  children,
}: PartWish<Path>) {
  const coverage = useCoverage(called.kind === 'answered' ? called.coverage : null, figuresFrom);
  return (
    <section class="report-part">
      <Heading>{title}</Heading>
      {called.kind === 'loading' ? <Loading lines={5} what={`Loading ${title}`} /> : null}
      {called.kind === 'refused' ? <p>{called.message}</p> : null}
      {called.kind === 'answered' ? (
        <>
          {children(called.told)}
          <p class="source">
            {called.source}
            {called.asOf === null ? null : `, as of ${dayText(called.asOf)}`}
            {coverage === null ? null : ` (${coverage})`}
          </p>
        </>
      ) : null}
    </section>
  );
}

type TermList = readonly (readonly [term: string, meaning: string])[];

const unknown = 'not known';
const orUnknown = (value: number | null, text: (value: number) => string = numberText): string =>
  value === null ? unknown : text(value);

const areaTerms = ({
  demographics,
  schools,
  transport,
  amenities,
}: Answers['/area/statistics']): TermList => [
  ['Residents', orUnknown(demographics.population)],
  ['Median age', orUnknown(demographics.medianAge)],
  ['Households', orUnknown(demographics.households)],
  ['Median income before tax', orUnknown(demographics.medianIncome, poundsText)],
  ['Primary schools', orUnknown(schools.primary)],
  ['Secondary schools', orUnknown(schools.secondary)],
  ['Railway stations', orUnknown(transport.railStations)],
  ['Bus routes', orUnknown(transport.busRoutes)],
  [
    'Nearest supermarket',
    orUnknown(amenities.nearestSupermarketMetres, (metres) => `${numberText(metres)} m`),
  ],
  ['Nearest park', orUnknown(amenities.nearestParkMetres, (metres) => `${numberText(metres)} m`)],
];

function salesTerms({ totalResults, period, summary }: Answers['/area/sold-prices']): TermList {
  if (totalResults === 0) return [['Sales', `none in ${period}`]];
  const { medianPrice, quartiles, priceRange } = summary;
  return [
    ['Sales', `${numberText(totalResults)} in ${period}`],
    ['Median', poundsText(medianPrice)],
    ['Middle half', quartiles === undefined ? unknown : range(quartiles.lower, quartiles.upper)],
    ['Lowest and highest', range(priceRange.min, priceRange.max)],
  ];
}

const range = (from: number, to: number): string => `${poundsText(from)} to ${poundsText(to)}`;

const categoriesShown = 4;

function crimeTerms(told: Answers['/crime/by-postcode']): TermList {
  const months = Object.keys(told.monthlyTotals).sort();
  const [first, last] = [months[0], months.at(-1)];
  const when = first === undefined || last === undefined ? '' : `, ${monthText(first)} to ${monthText(last)}`;
  const { kinds, of } = kindsOf(told);
  return [
    ['Recorded', `${countText(told.totalCrimes, 'crime')}${when}`],
    ...kinds
      .slice(0, categoriesShown)
      .map(
        ({ name, count }) =>
          [name, `${numberText(count)}${of === 'all months' ? '' : ` in ${monthText(of)}`}`] as const,
      ),
    ['Police force', told.policeForce],
  ];
}

function TaxBands({ tax }: { readonly tax: Answers['/council-tax/lookup'] }) {
  const bands = Object.entries(tax.councilTaxBands);
  return (
    <>
      <p>
        {tax.authority}, {tax.taxYear}: pounds a year for each band
      </p>
      <dl class="report-bands" aria-label="Council tax by band">
        {bands.map(([band, amount]) => (
          <div key={band}>
            <dt>{band.slice(-1).toUpperCase()}</dt>
            <dd>{poundsText(amount)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
