// The place beside its police force and the nation. Counts would only say that a force has more people than a circle, so what is
// compared is the mixture of kinds, the change over a year, and how months differ from the usual one.

import type { Answers } from '../../api/answers.ts';
import { Chart } from '../../components/chart.tsx';
import { Table } from '../../components/table.tsx';
import { countText, monthText, percentText } from '../../formats.ts';
import { ThisCall } from '../calls/this-call.tsx';
import { useCall } from '../calls/use-call.ts';
import { Unanswered } from '../refusals/refused.tsx';
import { pageWords } from '../town.ts';
import { alongMonths, categoryName, gapWords, indexOf, spanOf, yearChange } from './months.ts';

type Crime = Answers['/crime/by-postcode'];
type Compared = NonNullable<Crime['comparison']>;

export function Comparison({ postcode }: { readonly postcode: string }) {
  const called = useCall({
    path: '/crime/by-postcode',
    params: { postcode, months: 24, compare: 'true' },
  });
  return (
    <>
      <Unanswered called={called} lines={8} what="Loading the comparison" />
      {called.kind === 'answered' && called.told.comparison !== undefined ? (
        <Sides told={called.told} compared={called.told.comparison} />
      ) : null}
      <ThisCall calls={[called]} />
    </>
  );
}

function Sides({ told, compared }: { readonly told: Crime; readonly compared: Compared }) {
  return (
    <div class="stack">
      <p class="fair">
        Far fewer people live within a mile than in the area of a police force, so compare shares and changes,
        not numbers of crimes.{' '}
        {isForceAlone(compared) ? onceInWords(compared) : nationInWords(compared.nation)}
      </p>
      {compared.lacking.map((sentence) => (
        <p class="not-there" key={sentence}>
          {sentence}
        </p>
      ))}
      <Changes told={told} compared={compared} />
      <Months told={told} compared={compared} />
      <Shares told={told} compared={compared} />
    </div>
  );
}

/** The nation would have the figures of the force a second time. */
const isForceAlone = ({ force, nation: { forces } }: Compared): boolean =>
  forces.length === 1 && forces[0] === force.name;

const onceInWords = ({ force, nation }: Compared): string =>
  `${pageWords(nation.name)} is not shown: ${force.name} is the only force that published all of these months.${missingWords(nation)}`;

function nationInWords(nation: Compared['nation']): string {
  const { name, forces, total } = nation;
  if (total === null) return '';
  const [only] = forces;
  const counted =
    forces.length === 1
      ? `${pageWords(name)} here means ${only} alone, the one force that published all of these months.`
      : `${pageWords(name)} here means the ${countText(forces.length, 'force')} that published all of these months.`;
  return `${counted}${missingWords(nation)}`;
}

function missingWords({ missing }: Compared['nation']): string {
  if (missing.length === 0) return '';
  const named = missing.slice(0, 6).join(', ');
  const more = missing.length > 6 ? ` and ${missing.length - 6} more` : '';
  return ` Months are missing of ${named}${more}.`;
}

type SidesWish = { readonly told: Crime; readonly compared: Compared };

function sidesOf({ told, compared }: SidesWish) {
  const { here, force, nation } = compared;
  return [
    { name: told.postcode, monthly: told.monthlyTotals, byCategory: here.byCategory },
    { name: force.name, monthly: force.monthlyTotals, byCategory: force.byCategory },
    ...(isForceAlone(compared)
      ? []
      : [{ name: pageWords(nation.name), monthly: nation.monthlyTotals, byCategory: nation.byCategory }]),
  ];
}

function Changes(wish: SidesWish) {
  return (
    <dl class="changes">
      {sidesOf(wish).map(({ name, monthly }) => {
        const change = monthly === null ? undefined : yearChange(monthly);
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span class="figure">{change === undefined ? 'Not known' : changeText(change)}</span>
              <span class="figure-note">
                {change === undefined
                  ? whyNoChange(monthly)
                  : 'crimes in the newest 12 months against the 12 before'}
              </span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const whyNoChange = (monthly: Readonly<Record<string, number>> | null): string =>
  monthly === null ? 'not loaded, as said above' : `a month of the 24 was ${gapWords}`;

function changeText({ before, now }: { readonly before: number; readonly now: number }): string {
  if (before === 0) return now === 0 ? 'None in both' : 'From none';
  const share = (now - before) / before;
  return `${share > 0 ? '+' : share < 0 ? '−' : '±'}${percentText(Math.abs(share))}`;
}

function Months(wish: SidesWish) {
  const months = spanOf(wish.compared.months);
  const series = sidesOf(wish).flatMap(({ name, monthly }) =>
    monthly === null ? [] : [{ name, values: indexOf(monthly, months) }],
  );
  return (
    <Chart
      title="Each month against the average month, which is 100"
      labels={months.map(monthText)}
      labelTitle="Month"
      along={alongMonths(months)}
      series={series}
      kind="line"
      nullWords={() => gapWords}
    />
  );
}

type ShareRow = { readonly slug: string; readonly shares: readonly (number | null)[] };

function Shares(wish: SidesWish) {
  // Why one is not there stands above.
  const sides = sidesOf(wish).filter(({ byCategory }) => byCategory !== null);
  const slugs = [...new Set(sides.flatMap(({ byCategory }) => Object.keys(byCategory ?? {})))];
  const rows = slugs
    .map((slug): ShareRow => ({ slug, shares: sides.map(({ byCategory }) => shareOf(byCategory, slug)) }))
    .sort((a, b) => (b.shares[0] ?? 0) - (a.shares[0] ?? 0));
  const most = Math.max(0.01, ...rows.flatMap(({ shares }) => shares.map((share) => share ?? 0)));
  return (
    <div class="shares">
      <h3>Share of each kind, {periodOf(wish.compared)}</h3>
      <Table
        caption="Share of each kind of crime"
        rows={rows}
        keyOf={({ slug }) => slug}
        narrow="columns"
        columns={[
          { title: 'Kind', kind: 'name', cell: ({ slug }) => categoryName(wish.told, slug) },
          ...sides.map(({ name }, at) => ({
            title: name,
            kind: 'number' as const,
            by: ({ shares }: ShareRow) => shares[at] ?? -1,
            cell: ({ shares }: ShareRow) => <ShareCell share={shares[at] ?? null} most={most} />,
          })),
        ]}
      />
    </div>
  );
}

/** It is longer than that of the bars above, so that shares differ from theirs. */
function periodOf({ months }: Compared): string {
  const span = spanOf(months);
  const [first, last] = [span[0], span.at(-1)];
  return first === undefined || last === undefined ? '' : `${monthText(first)} to ${monthText(last)}`;
}

function ShareCell({ share, most }: { readonly share: number | null; readonly most: number }) {
  if (share === null) return <span class="soft">not known</span>;
  return (
    <span class="share-cell">
      {percentText(share)}
      <span class="share-track" aria-hidden="true">
        <span class="share-bar" style={{ width: `${(100 * share) / most}%` }} />
      </span>
    </span>
  );
}

function shareOf(counts: Readonly<Record<string, number>> | null, slug: string): number | null {
  if (counts === null) return null;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return total === 0 ? null : (counts[slug] ?? 0) / total;
}
