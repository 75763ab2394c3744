// The explorer: type a postcode, see the place.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button, LinkButton } from '../components/button.tsx';
import { EmptyState, Loading, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { UnknownPage } from '../components/unknown-page.tsx';
import { match } from '../match.ts';
import { useMe } from '../me.ts';
import { goAndSignIn, useQuery } from '../router.ts';
import { Consent } from './consent.tsx';
import { FindPlace, type FoundPlace } from './find-place.tsx';
import { sandboxPayer } from './payer.ts';
import { type Paying, usePaying } from './paying.ts';
import { isOfTown, type Place, readSlug } from './place.ts';
import { PlacePage } from './place-page.tsx';
import { LimitNotice } from './refusals/limit-notice.tsx';
import { Report } from './report.tsx';
import { PlaceLinks, PlaceSearch, type Searching } from './search.tsx';
import { StartPage } from './start-page.tsx';
import { PayerContext } from './use-payer.ts';

export function Section({ path }: { readonly path: string }) {
  const shown = match('/explore/:slug', path)?.slug;
  const reported = match('/explore/:slug/report', path)?.slug;
  const slug = shown ?? reported;
  // Whoever looks at the made-up town needs nobody to pay, until they search for another place.
  const [search, setSearch] = useState<'wanted' | 'not yet'>('not yet');
  const isTown = slug !== undefined && isOfTown(slug);
  const own = usePaying(isTown && search === 'not yet' ? 'later' : 'now');
  const { choose } = own;
  const searching = { paying: own.paying, onWanted: () => setSearch('wanted') };
  if (match('/explore', path) !== undefined)
    return <StartPage paying={own.paying} choose={() => choose(undefined)} />;
  if (slug === undefined) return <UnknownPage />;
  const paying = isTown ? payingForTown : own.paying;
  if (paying.kind === 'to be asked') return <Consent title={titleOf(slug)} paying={paying} choose={choose} />;
  if (paying.kind === 'nobody') return <NobodyPays title={titleOf(slug)} paying={paying} />;
  const { payer } = paying;
  if (payer === undefined) return <Waiting title={titleOf(slug)} />;
  return (
    <PayerContext.Provider value={payer}>
      <FindPlace slug={slug} key={slug}>
        {(found) => (
          <Found slug={slug} found={found} searching={searching}>
            {(place) => (
              <Beside of={place}>
                {(beside, problem) =>
                  reported === undefined ? (
                    <PlacePage
                      slug={slug}
                      place={place}
                      beside={beside}
                      problem={problem}
                      paying={paying}
                      choose={choose}
                      searching={searching}
                    />
                  ) : (
                    <Report slug={slug} place={place} beside={beside} problem={problem} />
                  )
                }
              </Beside>
            )}
          </Found>
        )}
      </FindPlace>
    </PayerContext.Provider>
  );
}

const payingForTown: Paying =
  sandboxPayer === undefined
    ? {
        kind: 'nobody',
        message: 'This service does not show the made-up town.',
        reader: 'signed out',
      }
    : { kind: 'payer', payer: sandboxPayer, accounts: [] };

function titleOf(slug: string): string {
  const meaning = readSlug(slug);
  switch (meaning.kind) {
    case 'postcode':
      return meaning.place.title;
    case 'outcode':
      return meaning.outcode;
    case 'named':
      return meaning.words || meaning.code;
    case 'odd':
      return meaning.words;
  }
}

function Waiting({ title }: { readonly title: string }) {
  return (
    <Page title={title} lead="One moment…">
      <LimitNotice />
      <Loading lines={12} what="Loading the place" />
    </Page>
  );
}

type FoundWish = {
  readonly slug: string;
  readonly found: FoundPlace;
  readonly searching: Searching;
  readonly children: (place: Place) => ComponentChildren;
};

function Found({ slug, found, searching, children }: FoundWish) {
  switch (found.kind) {
    case 'finding':
      return <Waiting title={titleOf(slug)} />;
    case 'found':
      return <>{children(found.place)}</>;
    case 'none':
      return (
        <Page title={found.title} lead={found.message} width="narrow">
          <PlaceSearch label="Postcode or place" {...searching} />
          {found.options.length === 0 ? null : (
            <section aria-labelledby="meant" class="part">
              <h2 id="meant">Did you mean</h2>
              <PlaceLinks
                places={found.options.map(({ place, what }) => ({
                  slug: place.slug,
                  title: place.title,
                  what,
                }))}
              />
            </section>
          )}
        </Page>
      );
  }
}

/** The place that it is compared with, as the address says. */
function Beside({
  of,
  children,
}: {
  readonly of: Place;
  readonly children: (beside: Place | undefined, problem: string | undefined) => ComponentChildren;
}) {
  const slug = useQuery().get('with');
  if (slug === null || slug === '') return <>{children(undefined, undefined)}</>;
  if (isOfTown(slug) !== isOfTown(of.slug))
    return <>{children(undefined, 'You cannot compare a real place with one of the made-up town.')}</>;
  return (
    <FindPlace slug={slug} key={slug}>
      {(found) => {
        switch (found.kind) {
          case 'finding':
            return children(undefined, undefined);
          case 'found':
            return children(found.place, undefined);
          case 'none':
            return children(undefined, found.message);
        }
      }}
    </FindPlace>
  );
}

function NobodyPays({
  title,
  paying,
}: {
  readonly title: string;
  readonly paying: Extract<Paying, { kind: 'nobody' }>;
}) {
  return (
    <Page title={title}>
      <div class="stack">
        <EmptyState
          title="Sign in to see this place"
          action={
            <p class="actions">
              {paying.reader === 'signed out' ? (
                <Button look="primary" onPress={goAndSignIn}>
                  Sign in
                </Button>
              ) : (
                <LinkButton href="/account" look="primary">
                  Your accounts
                </LinkButton>
              )}
              {sandboxPayer === undefined ? null : (
                <LinkButton href="/explore/ZZ1-1AA">See the made-up town</LinkButton>
              )}
            </p>
          }
        >
          {paying.message}
        </EmptyState>
        <HowToOpen />
      </div>
    </Page>
  );
}

/** Of no use to a visitor. */
function HowToOpen() {
  const me = useMe();
  if (me.kind !== 'told' || me.told.person?.standing !== 'operator') return null;
  return (
    <Notice tone="info">
      <p>
        You can open real places to visitors: <code>DOMESDAY_VISITORS</code> sets how many calls a day.
      </p>
    </Notice>
  );
}
