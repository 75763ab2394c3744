// A place on one page of paper, and a second one on a page of its own: the main figures of each panel, with their sources and days. It asks what the panels ask, so that
// whoever comes from the place pays nothing again.

import type { ComponentChildren } from 'preact';
import type { Answers } from '../api/answers.ts';
import type { ApiAnswer, ApiPath } from '../api/call.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { Terms } from '../components/parts.tsx';
import { apiOrigin } from '../document-facts.ts';
import {
  countText,
  dateText,
  distanceText,
  monthText,
  numberText,
  poundsText,
  withDates,
} from '../formats.ts';
import { type Basis, withinWords } from './area/figures.ts';
import { councilTaxCall, crimeCall, lookupCall, salesCall, statisticsCall } from './calls/place-calls.ts';
import { type Called, type CalledTogether, useCall } from './calls/use-call.ts';
import { bandsIn, yearsOf } from './council-tax/bands.ts';
import { kindsOf, periodWords } from './crime/months.ts';
import { useCanonicalPath } from './find-place.tsx';
import { sourceWords } from './panel.tsx';
import { isOfTown, type PanelsWish, type Place, pathOf, withText } from './place.ts';
import { silenceOfSales } from './prices/figures.ts';
import { usual, withinText } from './prices/question.ts';
import { limitEnd } from './refusals/limit.ts';
import { LimitNotice } from './refusals/limit-notice.tsx';
import { Unanswered } from './refusals/refused.tsx';
import { townWarning } from './town.ts';
import { type DatasetName, taxDatasets, useCoverage } from './use-coverage.ts';

type ReportWish = PanelsWish & {
  /** As it stands in the address. */
  readonly slug: string;
  /** Why there is no second place, though the address says so. */
  readonly problem: string | undefined;
  readonly answers: CalledTogether;
};

export function Report({ slug, place, beside, problem, answers }: ReportWish) {
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
      <LimitNotice />
      {problem === undefined ? null : <Notice tone="warning">{problem}</Notice>}
      {answers.kind !== 'answered' ? (
        <Unanswered called={answers} what="Loading the place" lines={12} />
      ) : beside === undefined ? (
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
  return <>{whereWords(useCall(lookupCall(postcode)))}</>;
}

/** `h3`: below the name of one of two places. */
type Heading = 'h2' | 'h3';

function Reported({ place, heading }: { readonly place: Place; readonly heading: Heading }) {
  const { postcode } = place;
  const statistics = useCall(statisticsCall(postcode));
  const sales = useCall(salesCall(place, usual));
  const crime = useCall(crimeCall(postcode));
  const tax = useCall(councilTaxCall(postcode));
  return (
    <>
      {isOfTown(place.slug) ? (
        <p>
          <strong>{townWarning}</strong>
        </p>
      ) : null}
      <div class="report">
        <ReportPart heading={heading} title="Area" called={statistics}>
          {(told) => <Terms terms={areaTerms(told)} />}
        </ReportPart>
        <ReportPart
          heading={heading}
          title={`Sold prices in ${withinText(place, usual.within)}`}
          called={sales}
        >
          {(_, answer) => <Terms terms={salesTerms(answer)} />}
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

function whereWords(lookup: Called<'/postcodes/lookup'>): string {
  if (lookup.kind === 'loading') return '…';
  if (lookup.kind === 'refused') {
    const end = limitEnd(lookup);
    // The notice says that a limit lasts.
    return end === undefined ? lookup.message : end === 'soon' ? '…' : '';
  }
  const { ward, authority, nation } = lookup.told;
  const names = [ward?.name, authority?.name, nation?.name].filter((name) => name !== undefined);
  return names.length === 0 ? 'We do not know which areas this is in.' : names.join(', ');
}

type PartWish<Path extends ApiPath> = {
  readonly heading: Heading;
  readonly title: string;
  readonly called: Called<Path>;
  /** As in a panel. */
  readonly figuresFrom?: readonly DatasetName[];
  readonly children: (told: Answers[Path], answer: ApiAnswer<Path>) => ComponentChildren;
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
      <Unanswered called={called} lines={5} />
      {called.kind === 'answered' ? (
        <>
          {children(called.told, called)}
          <p class="source">
            {sourceWords([called])}
            {coverage === null ? null : ` (${withDates(coverage)})`}
          </p>
        </>
      ) : null}
    </section>
  );
}

type TermList = readonly (readonly [term: string, meaning: ComponentChildren])[];

const unknown = 'not known';
const orUnknown = (value: number | null, text: (value: number) => string = numberText): string =>
  value === null ? unknown : text(value);

/** "6 within 1.6 km". */
const counted = <Field extends string>(
  told: { readonly basis: readonly Basis[] } & { readonly [field in Field]: number | null },
  field: Field,
): string =>
  orUnknown(told[field], (count) => `${numberText(count)} ${withinWords(field, told.basis) ?? ''}`.trim());

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
  ['Primary schools', counted(schools, 'primary')],
  ['Secondary schools', counted(schools, 'secondary')],
  ['Railway stations', counted(transport, 'railStations')],
  ['Bus routes', counted(transport, 'busRoutes')],
  ['Nearest supermarket', orUnknown(amenities.nearestSupermarketMetres, distanceText)],
  ['Nearest park', orUnknown(amenities.nearestParkMetres, distanceText)],
];

function salesTerms(answer: ApiAnswer<'/area/sold-prices'>): TermList {
  const { totalResults, period, summary } = answer.told;
  const silence = silenceOfSales(answer);
  if (silence !== undefined)
    return [['Sales', silence.kind === 'none' ? `none in ${period}` : `${silence.kind}: ${silence.why}`]];
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
  const { kinds, of } = kindsOf(told);
  return [
    ['Recorded', `${countText(told.totalCrimes, 'crime')}, ${periodWords(told)}`],
    [
      of === 'all months' ? 'Most often' : `Most often in ${monthText(of)}`,
      <ul key="kinds">
        {kinds.slice(0, categoriesShown).map(({ name, count }) => (
          <li key={name}>
            {name}: {numberText(count)}
          </li>
        ))}
      </ul>,
    ],
    ['Police force', told.policeForce],
  ];
}

function TaxBands({ tax }: { readonly tax: Answers['/council-tax/lookup'] }) {
  const [year] = yearsOf(tax);
  return (
    <>
      <p>
        {tax.authority}, {tax.taxYear}: pounds a year for each band
      </p>
      <dl class="report-bands" aria-label="Council tax by band">
        {bandsIn(year?.councilTaxBands ?? tax.councilTaxBands).map(({ letter, amount }) => (
          <div key={letter}>
            <dt>{letter.toUpperCase()}</dt>
            <dd>{poundsText(amount)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
