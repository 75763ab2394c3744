// All that is known of a place, panel by panel. All is asked in one request, and a panel whose call fails leaves the others alone.

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
import { councilTaxCall, lookupCall, statisticsCall } from './calls/place-calls.ts';
import { type Called, type CalledTogether, toldOf, useCall } from './calls/use-call.ts';
import { PaidBy } from './consent.tsx';
import { CouncilTaxPanels } from './council-tax/panels.tsx';
import { CrimePanels } from './crime/panels.tsx';
import { useCanonicalPath } from './find-place.tsx';
import { MapPanel } from './map/panels.tsx';
import { withdrawnId } from './panel.tsx';
import type { Paying, usePaying } from './paying.ts';
import { isOfTown, type PanelsWish, type Place, pathOf, postcodePlace, withText } from './place.ts';
import { PricesPanels } from './prices/panels.tsx';
import { usual, withinText } from './prices/question.ts';
import { remember } from './recent.ts';
import { isAwaited, limitEnd } from './refusals/limit.ts';
import { LimitNotice } from './refusals/limit-notice.tsx';
import { Unanswered } from './refusals/refused.tsx';
import { PlaceLinks, PlaceSearch, type Searching } from './search.tsx';
import { townWarning } from './town.ts';

type PlacePageWish = PanelsWish & {
  /** As it stands in the address. */
  readonly slug: string;
  /** Why it is compared with nothing, though the address says so. */
  readonly problem: string | undefined;
  readonly answers: CalledTogether;
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
  const { slug, place, beside, problem, answers, paying, choose, searching } = wish;
  const [comparing, setComparing] = useState<'asked for' | 'no'>('no');
  const lookup = useCall(lookupCall(place.postcode));
  const sections = answers.kind === 'answered' ? 'there' : 'awaited';
  useCanonicalPath(slug, place, '');
  useScrollToFragment(sections);
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
          {beside === undefined ? (
            <span class="place-where">
              {whereOf('', lookup, where, 'We could not look up where this is.')}
            </span>
          ) : (
            <>
              <Authority
                of={place}
                otherwise={lookup.kind === 'answered' ? (lookup.told.authority?.name ?? unknown) : unknown}
              />
              <Authority of={beside} otherwise={unknown} />
            </>
          )}
          {isOfTown(place.slug) ? <strong class="place-town">{townWarning}</strong> : null}
        </>
      }
      nav={{ ...nav, sections }}
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
          focus="at once"
          {...searching}
          onChoose={(other) => {
            setComparing('no');
            navigate(`${pathOf(place)}${withText({ slug: other })}`);
          }}
        />
      )}
      {beside === undefined ? null : <Compared place={place} beside={beside} />}
      {problem === undefined ? null : <Notice tone="warning">{problem}</Notice>}
      <div id={withdrawnId} class="withdrawn">
        {lookup.kind === 'answered' && lookup.told.terminated !== null ? (
          <Withdrawn place={place} month={lookup.told.terminated} />
        ) : null}
        {beside === undefined ? null : <WithdrawnBeside place={place} beside={beside} />}
      </div>
      {answers.kind !== 'answered' ? (
        <div class="panels">
          <Unanswered called={answers} what="Loading the place" lines={12} />
        </div>
      ) : (
        <div class="panels" key="there">
          <MapPanel place={place} beside={beside} />
          <AreaPanels place={place} beside={beside} />
          <PricesPanels place={place} beside={beside} />
          <BankRatePanel place={place} beside={beside} />
          <CrimePanels place={place} beside={beside} />
          <CouncilTaxPanels place={place} beside={beside} />
        </div>
      )}
    </Page>
  );
}

const unknown = 'council not known';

type AuthorityWish = {
  readonly of: Place;
  /** Northern Ireland has no council tax. */
  readonly otherwise: string;
};

/** Of each of two: what both have been asked anyway, so that they read alike. */
function Authority({ of: { title, kind, postcode }, otherwise }: AuthorityWish) {
  const called = useCall(councilTaxCall(postcode));
  const around = kind === 'postcode' ? '' : `around ${postcode}, `;
  return (
    <span class="place-where of-two">
      {whereOf(`${title}: ${around}`, called, toldOf(called)?.authority, otherwise)}
    </span>
  );
}

/** Nothing where a limit lasts: the notice says so. */
function whereOf(
  before: string,
  called: Called<ApiPath>,
  where: string | undefined,
  unknown: string,
): string {
  if (where === undefined && limitEnd(called) === 'later') return '';
  return `${before}${where ?? (isAwaited(called) ? '…' : unknown)}`;
}

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
  const called = useCall(statisticsCall(place.postcode));
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

/** Its panels refuse; where it was, its council tax knows. */
function WithdrawnBeside({ place, beside }: { readonly place: Place; readonly beside: Place }) {
  const called = useCall(councilTaxCall(beside.postcode));
  if (called.kind !== 'refused' || called.terminated === undefined) return null;
  return (
    <Notice
      tone="warning"
      title={`Royal Mail withdrew ${beside.postcode} in ${monthText(called.terminated)}`}
    >
      <p>Most panels need a postcode that is in use.</p>
      {(called.nearest ?? []).slice(0, 3).map(({ postcode, distanceMetres }) => (
        <p key={postcode}>
          <a href={`${pathOf(place)}${withText(postcodePlace(postcode))}`}>Compare with {postcode}</a>,{' '}
          {distanceMetres} metres from where it was
        </p>
      ))}
    </Notice>
  );
}

/** Panels are there after the document, and so is what a link into the page means. It stays in sight while those above it grow,
 *  until its reader does something. */
function useScrollToFragment(sections: 'awaited' | 'there'): void {
  useEffect(() => {
    const section = document.getElementById(location.hash.slice(1));
    if (sections === 'awaited' || section === null) return;
    const growth = new ResizeObserver(() => section.scrollIntoView());
    growth.observe(section.closest('.panels') ?? section);
    const reader = new AbortController();
    const leave = () => {
      growth.disconnect();
      reader.abort();
    };
    for (const input of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
      addEventListener(input, leave, { signal: reader.signal, passive: true });
    return leave;
  }, [sections]);
}
