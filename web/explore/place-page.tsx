// All that is known of a place, panel by panel. Each asks by itself, so that one that fails leaves the others alone.

import { useEffect, useState } from 'preact/hooks';
import type { Answers } from '../api/answers.ts';
import type { ApiPath } from '../api/call.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';
import { Page, type PageNav } from '../components/page.tsx';
import { monthText } from '../formats.ts';
import { navigate } from '../router.ts';
import { AreaPanels } from './area/panels.tsx';
import { BankRatePanel } from './bank-rate/panels.tsx';
import { PaidBy } from './consent.tsx';
import { CouncilTaxPanels } from './council-tax/panels.tsx';
import { useCouncilTax } from './council-tax/use-council-tax.ts';
import { CrimePanels } from './crime/panels.tsx';
import { useCanonicalPath } from './find-place.tsx';
import { MapPanel } from './map/panels.tsx';
import type { Paying, usePaying } from './paying.ts';
import { type PanelsWish, type Place, pathOf, postcodePlace, withText } from './place.ts';
import { PricesPanels } from './prices/panels.tsx';
import { usual, withinText } from './prices/question.ts';
import { remember } from './recent.ts';
import { isLimited } from './refusals/limit.ts';
import { LimitNotice } from './refusals/limit-notice.tsx';
import { PlaceLinks, PlaceSearch, type Searching } from './search.tsx';
import { type Called, useCall } from './use-call.ts';

type PlacePageWish = PanelsWish & {
  /** As it stands in the address. */
  readonly slug: string;
  /** Why it is compared with nothing, though the address says so. */
  readonly problem: string | undefined;
  readonly paying: Paying;
  readonly searching: Searching;
  readonly choose: ReturnType<typeof usePaying>['choose'];
};

const nav: PageNav = {
  label: 'On this page',
  links: [
    { href: '#map', label: 'Map' },
    { href: '#area', label: 'Area' },
    { href: '#prices', label: 'Sold prices', short: 'Prices' },
    { href: '#bank-rate', label: 'Bank Rate' },
    { href: '#crime', label: 'Crime' },
    { href: '#council-tax', label: 'Council tax', short: 'Tax' },
  ],
};

export function PlacePage(wish: PlacePageWish) {
  const { slug, place, beside, problem, paying, choose, searching } = wish;
  const [comparing, setComparing] = useState<'asked for' | 'no'>('no');
  const lookup = useCall('/postcodes/lookup', { postcode: place.postcode });
  useCanonicalPath(slug, place, '');
  useScrollToFragment();
  const where = lookup.kind === 'answered' ? whereText(place, lookup.told) : undefined;
  useEffect(() => {
    if (where !== undefined) remember({ slug: place.slug, title: place.title, what: where });
  }, [place.slug, where]);
  const title = beside === undefined ? place.title : `${place.title} and ${beside.title}`;
  return (
    <Page
      title={title}
      lead={
        <>
          <span class={beside === undefined ? 'place-where' : 'place-where of-two'}>
            {beside === undefined ? null : `${place.title}: `}
            {where ?? unlessAwaited(lookup, 'We could not look up where this is.')}
          </span>
          {beside === undefined ? null : <Authority of={beside} />}
        </>
      }
      nav={nav}
      actions={
        <>
          <Button onPress={() => setComparing(comparing === 'no' ? 'asked for' : 'no')}>Compare</Button>
          <LinkButton href={`${pathOf(place)}/report${withText(beside)}`}>Report to print</LinkButton>
        </>
      }
    >
      <LimitNotice />
      <div class="place-top">
        <PlaceSearch label="Another place" {...searching} />
        <PaidBy paying={paying} choose={choose} />
      </div>
      {comparing === 'no' ? null : (
        <PlaceSearch
          label={`Compare ${place.title} with`}
          {...searching}
          onChoose={(other) => {
            setComparing('no');
            navigate(`${pathOf(place)}${withText({ slug: other })}`);
          }}
        />
      )}
      {beside === undefined ? null : <Compared place={place} beside={beside} />}
      {problem === undefined ? null : <Notice tone="warning">{problem}</Notice>}
      {lookup.kind === 'answered' && lookup.told.terminated !== null ? (
        <Withdrawn place={place} month={lookup.told.terminated} />
      ) : null}
      <MapPanel place={place} beside={beside} />
      <AreaPanels place={place} beside={beside} />
      <PricesPanels place={place} beside={beside} />
      <BankRatePanel place={place} beside={beside} />
      <CrimePanels place={place} beside={beside} />
      <CouncilTaxPanels place={place} beside={beside} />
    </Page>
  );
}

/** The second place. */
function Authority({ of: { title, kind, postcode } }: { readonly of: Place }) {
  const called = useCouncilTax(postcode);
  // Northern Ireland has no council tax.
  const where =
    called.kind === 'answered' ? called.told.authority : unlessAwaited(called, 'council not known');
  return (
    <span class="place-where of-two">
      {title}: {kind === 'postcode' ? where : `around ${postcode}, ${where}`}
    </span>
  );
}

const unlessAwaited = (called: Called<ApiPath>, words: string): string =>
  called.kind === 'loading' || isLimited(called) ? '…' : words;

/** "Tredegar Park in Newport, Wales". */
function whereText(place: Place, told: Answers['/postcodes/lookup']): string {
  const { ward, authority, region, nation } = told;
  const names = [ward?.name, authority?.name, nation?.name === 'England' ? region?.name : null, nation?.name];
  const known = names.filter((name) => name !== null && name !== undefined);
  const where = known.length === 0 ? 'We do not know which areas this is in.' : known.join(', ');
  return place.kind === 'postcode' ? where : `Around ${told.postcode}, at its centre: ${where}`;
}

function Compared({ place, beside }: { readonly place: Place; readonly beside: Place }) {
  return (
    <p class="compared">
      Compared with <a href={pathOf(beside)}>{beside.title}</a>. Show{' '}
      <a href={`${pathOf(beside)}${withText(place)}`}>the other way round</a> or{' '}
      <a href={pathOf(place)}>{place.title} alone</a>.
    </p>
  );
}

/** Panels that need a postcode in use refuse this one, and say which are nearest. */
function Withdrawn({ place, month }: { readonly place: Place; readonly month: string }) {
  const called = useCall('/area/statistics', { postcode: place.postcode });
  const nearest = called.kind === 'refused' ? (called.nearest ?? []) : [];
  return (
    <Notice tone="warning" title={`Royal Mail withdrew this postcode in ${monthText(month)}`}>
      <p>
        Sold prices are those of {withinText(place, usual.within)}, where it was. Most other panels need a
        postcode that is in use.
      </p>
      {nearest.length === 0 ? null : (
        <PlaceLinks
          places={nearest.slice(0, 3).map(({ postcode, distanceMetres }) => ({
            slug: postcodePlace(postcode).slug,
            title: postcode,
            what: `${distanceMetres} metres from where it was`,
          }))}
        />
      )}
    </Notice>
  );
}

/** Panels are there after the document, and so is what a link into the page means. */
function useScrollToFragment(): void {
  useEffect(() => {
    if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
}
