// Which sales are shown. The kind of property changes at once; everything else when it is applied, since each change asks anew.

import type { ApiRefusal } from '../../api/refusal.ts';
import { Button } from '../../components/button.tsx';
import { Choice, Field, type FieldOf, Form } from '../../components/form.tsx';
import { setQuery } from '../../router.ts';
import { useCost } from '../payer.ts';
import type { Place } from '../place.ts';
import { typeNames, types } from './figures.ts';
import {
  queryOf,
  type SaleWish,
  usual,
  type Within,
  withins,
  withinText,
  withoutFilters,
} from './question.ts';

const apply = (wish: SaleWish) => setQuery(queryOf(wish), { as: 'push' });

const typeOptions = [
  { value: '', label: 'All' },
  ...types.map((type) => ({ value: type, label: typeNames[type] })),
];

export function TypeSwitch({ wish }: { readonly wish: SaleWish }) {
  return (
    <fieldset class="type-switch">
      <legend class="unseen">Kind of property</legend>
      {typeOptions.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          class="button plain small"
          aria-pressed={wish.type === value}
          onClick={() => apply({ ...wish, type: value, offset: '' })}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

const periods = [
  { value: '12', label: '1 year' },
  { value: '24', label: '2 years' },
  { value: '60', label: '5 years' },
  { value: '120', label: '10 years' },
  { value: '360', label: '30 years' },
] as const;

const ages = [
  { value: '', label: 'New and existing' },
  { value: 'true', label: 'Only new builds' },
] as const;

const categories = [
  { value: '', label: 'All sales' },
  { value: 'A', label: 'Market sales to private buyers' },
  { value: 'B', label: 'Repossessions, company buyers and similar' },
] as const;

const orders = [
  { value: '', label: 'Newest first' },
  { value: 'date asc', label: 'Oldest first' },
  { value: 'price desc', label: 'Highest price first' },
  { value: 'price asc', label: 'Lowest price first' },
] as const;

const withinWords = {
  postcode: 'Postcode',
  sector: 'Sector',
  outcode: 'District',
  area: 'Area',
} as const satisfies Record<Within, string>;

/** Begun anew when the query changes, so that going back shows what was asked then. */
export function Filters(filters: FiltersWish) {
  return <FilterForm key={JSON.stringify(filters.wish)} {...filters} />;
}

type FiltersWish = {
  readonly place: Place;
  /** The second place, whose sales are filtered alike. */
  readonly beside: Place | undefined;
  readonly wish: SaleWish;
  readonly misfit: Misfit | undefined;
};

/** What the service refuses of a filter. */
export type Misfit = Pick<ApiRefusal, 'field' | 'message'>;

function FilterForm({ place, beside, wish, misfit }: FiltersWish) {
  const cost = useCost('/area/sold-prices', '/area/sold-prices/trend');
  const isFiltered = hasFilters(wish);
  return (
    <details class="sale-filters" open={isFiltered || misfit !== undefined}>
      <summary>
        Filters{' '}
        <span class="soft">{summaryOf([place, ...(beside === undefined ? [] : [beside])], wish)}</span>
      </summary>
      <Form
        submit="Show these sales"
        first={wish}
        onSend={async (typed) => ({ kind: 'told', told: { ...typed, offset: '' } })}
        onDone={apply}
        beside={
          <>
            {!isFiltered && misfit === undefined ? null : (
              <Button onPress={() => apply(misfit === undefined ? withoutFilters(wish) : usual)}>
                Clear the filters
              </Button>
            )}
            <span class="soft">{cost === 'free' ? 'Free' : `Costs up to ${cost}`}</span>
          </>
        }
      >
        {(field) => <FilterFields place={place} field={withMisfit(field, misfit)} />}
      </Form>
    </details>
  );
}

/** The kind of property has buttons, and the page of the list has none. */
export const isInForm = (field: string): boolean =>
  Object.hasOwn(usual, field) && field !== 'type' && field !== 'offset';

/** It stands at its field until the filters are sent again. */
const withMisfit =
  (field: FieldOf<SaleWish>, misfit: Misfit | undefined): FieldOf<SaleWish> =>
  (name) => ({ ...field(name), ...(misfit?.field === name ? { error: misfit.message } : {}) });

/** What can be cleared. */
const hasFilters = (wish: SaleWish): boolean =>
  orderOf(wish) !== '' ||
  [wish.minPrice, wish.maxPrice, wish.street, wish.newBuild, wish.category].some((each) => each !== '');

/** "PO33 and NP10, 2 years, lowest price first". What is left out stands above the figures. */
function summaryOf(places: readonly Place[], wish: SaleWish): string {
  const names = new Set(places.map((place) => withinText(place, wish.within)));
  const order = orderOf(wish);
  return [
    [...names].join(' and '),
    labelOf(periods, wish.months),
    ...(order === '' ? [] : [labelOf(orders, order).toLowerCase()]),
  ].join(', ');
}

/** What the API does where nothing is said is the first of the list. */
function orderOf({ sort, order }: Pick<SaleWish, 'sort' | 'order'>): string {
  const said = `${sort || 'date'} ${order || 'desc'}`;
  return said === 'date desc' ? '' : said;
}

type FieldsWish = {
  readonly place: Place;
  readonly field: FieldOf<SaleWish>;
};

function FilterFields({ place, field }: FieldsWish) {
  const [months, newBuild, category] = [field('months'), field('newBuild'), field('category')];
  const [sort, order] = [field('sort'), field('order')];
  const sorted = orderOf({ sort: sort.value, order: order.value });
  return (
    <div class="form-row">
      <Choice
        label="Where"
        options={withins.map((value) => ({
          value,
          label: `${withinWords[value]} ${withinText(place, value)}`,
        }))}
        {...field('within')}
      />
      <Choice label="Period" options={withOwn(periods, months.value)} {...months} />
      <Field label="Street" placeholder="Any part of its name" {...field('street')} />
      <Field label="Lowest price" inputmode="numeric" placeholder="£" {...field('minPrice')} />
      <Field label="Highest price" inputmode="numeric" placeholder="£" {...field('maxPrice')} />
      <Choice label="Age" options={withOwn(ages, newBuild.value)} {...newBuild} />
      <Choice label="Kind of sale" options={withOwn(categories, category.value)} {...category} />
      <Choice
        label="Order"
        value={sorted}
        error={sort.error ?? order.error}
        options={withOwn(orders, sorted)}
        onValue={(chosen) => {
          const [by = '', direction = ''] = chosen.split(' ');
          sort.onValue(by);
          order.onValue(direction);
        }}
      />
    </div>
  );
}

type Option = { readonly value: string; readonly label: string };

const labelOf = (options: readonly Option[], value: string): string =>
  options.find((each) => each.value === value)?.label ?? value;

/** A value of the address that is in no list is shown as it stands. */
const withOwn = (options: readonly Option[], value: string): readonly Option[] =>
  options.some((each) => each.value === value) ? options : [...options, { value, label: value }];
