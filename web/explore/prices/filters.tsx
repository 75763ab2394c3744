// Which sales are shown. The kind of property changes at once; everything else when it is applied, since each change asks anew.

import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Choice, Field, Form } from '../../components/form.tsx';
import { setQuery } from '../../router.ts';
import type { Place } from '../place.ts';
import { useCost } from './cost.ts';
import { typeNames, types } from './figures.ts';
import { queryOf, type SaleWish, type Within, withins, withinText, withoutFilters } from './question.ts';

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
  { value: '', label: 'New and old' },
  { value: 'true', label: 'Only new builds' },
] as const;

const categories = [
  { value: '', label: 'All sales' },
  { value: 'A', label: 'Market sales to private buyers' },
  { value: 'B', label: 'Repossessions, companies and the like' },
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
export function Filters({ place, wish }: { readonly place: Place; readonly wish: SaleWish }) {
  return <FilterForm key={JSON.stringify(wish)} place={place} wish={wish} />;
}

function FilterForm({ place, wish }: { readonly place: Place; readonly wish: SaleWish }) {
  const [draft, setDraft] = useState(wish);
  const cost = useCost('/area/sold-prices', '/area/sold-prices/trend');
  const change = (values: Partial<SaleWish>) => setDraft({ ...draft, ...values, offset: '' });
  const active = activeCount(wish);
  return (
    <details class="sale-filters" open={active > 0}>
      <summary>
        Filters{active === 0 ? '' : ` (${active})`} <span class="soft">{withinText(place, wish.within)}</span>
      </summary>
      <Form
        submit="Show these sales"
        onSend={async () => {
          apply(draft);
          return undefined;
        }}
        beside={
          <>
            {active === 0 ? null : (
              <Button onPress={() => apply(withoutFilters(wish))}>Clear the filters</Button>
            )}
            <span class="soft">{cost === 'free' ? 'Free' : `Costs ${cost}`}</span>
          </>
        }
      >
        {() => <FilterFields place={place} draft={draft} change={change} />}
      </Form>
    </details>
  );
}

const activeCount = (wish: SaleWish): number =>
  [wish.minPrice, wish.maxPrice, wish.street, wish.newBuild, wish.category, wish.sort].filter(
    (each) => each !== '',
  ).length;

type FieldsWish = {
  readonly place: Place;
  readonly draft: SaleWish;
  readonly change: (values: Partial<SaleWish>) => void;
};

function FilterFields({ place, draft, change }: FieldsWish) {
  return (
    <div class="form-row">
      <Choice
        label="Where"
        value={draft.within}
        options={withins.map((value) => ({
          value,
          label: `${withinWords[value]} ${withinText(place, value)}`,
        }))}
        onValue={(within) => change({ within })}
      />
      <Choice
        label="Period"
        value={draft.months}
        options={withOwn(periods, draft.months)}
        onValue={(months) => change({ months })}
      />
      <Field
        label="Street"
        value={draft.street}
        onValue={(street) => change({ street })}
        placeholder="Any part of its name"
      />
      <Field
        label="Lowest price"
        inputmode="numeric"
        value={draft.minPrice}
        onValue={(minPrice) => change({ minPrice })}
        placeholder="£"
      />
      <Field
        label="Highest price"
        inputmode="numeric"
        value={draft.maxPrice}
        onValue={(maxPrice) => change({ maxPrice })}
        placeholder="£"
      />
      <Choice
        label="Age"
        value={draft.newBuild}
        options={withOwn(ages, draft.newBuild)}
        onValue={(newBuild) => change({ newBuild })}
      />
      <Choice
        label="Kind of sale"
        value={draft.category}
        options={withOwn(categories, draft.category)}
        onValue={(category) => change({ category })}
      />
      <Choice
        label="Order"
        value={`${draft.sort} ${draft.order}`.trim()}
        options={withOwn(orders, `${draft.sort} ${draft.order}`.trim())}
        onValue={(chosen) => {
          const [sort = '', order = ''] = chosen.split(' ');
          change({ sort, order });
        }}
      />
    </div>
  );
}

type Option = { readonly value: string; readonly label: string };

/** A value of the address that is in no list is shown as it stands. */
const withOwn = (options: readonly Option[], value: string): readonly Option[] =>
  options.some((each) => each.value === value) ? options : [...options, { value, label: value }];
