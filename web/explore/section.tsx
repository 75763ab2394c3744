// The explorer: type a postcode, see the place.

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ApiCall } from '../api/call.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { EmptyState, Loading, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { UnknownPage } from '../components/unknown-page.tsx';
import { prepareFormats } from '../formats.ts';
import { match } from '../match.ts';
import { useMe } from '../me.ts';
import { goAndSignIn, useQuery } from '../router.ts';
import { callsOfPage, callsOfReport } from './calls/place-calls.ts';
import { type CalledTogether, useCallsTogether } from './calls/use-call.ts';
import { Consent } from './consent.tsx';
import { FindPlace, type NoPlace, useNoPlace } from './find-place.tsx';
import { PayerContext, sandboxPayer } from './payer.ts';
import { type Paying, usePaying } from './paying.ts';
import { isOfTown, type PanelsWish, type Place, readSlug } from './place.ts';
import { PlacePage } from './place-page.tsx';
import { LimitNotice } from './refusals/limit-notice.tsx';
import { Report } from './report.tsx';
import { PlaceLinks, PlaceSearch, type Searching } from './search.tsx';
import { StartPage } from './start-page.tsx';

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
  if (paying.kind === 'finding') return <Waiting title={titleOf(slug)} />;
  return (
    <PayerContext.Provider value={paying.payer}>
      <FindPlace slug={slug} key={slug}>
        {(found) => {
          if (found.kind === 'finding') return <Waiting title={titleOf(slug)} />;
          if (found.kind === 'none') return <Nowhere none={found} searching={searching} />;
          return (
            <Beside of={found.place}>
              {(beside, problem) => {
                if (beside === 'finding') return <Waiting title={titleOf(slug)} />;
                const wish = { slug, place: found.place, beside, problem, searching };
                return reported === undefined ? (
                  <Asked {...wish} callsOf={callsOfPage}>
                    {(asked) => <PlacePage {...asked} paying={paying} choose={choose} />}
                  </Asked>
                ) : (
                  <Asked {...wish} callsOf={callsOfReport}>
                    {(asked) => <Report {...asked} />}
                  </Asked>
                );
              }}
            </Beside>
          );
        }}
      </FindPlace>
    </PayerContext.Provider>
  );
}

type AskedWish = PanelsWish & {
  /** As it stands in the address. */
  readonly slug: string;
  /** Why it is compared with nothing, though the address says so. */
  readonly problem: string | undefined;
  readonly searching: Searching;
};

/** Asks for all that a view needs of its places, which may turn out not to exist. */
function Asked({
  callsOf,
  children,
  ...wish
}: AskedWish & {
  readonly callsOf: (places: PanelsWish, query: URLSearchParams) => readonly ApiCall[];
  readonly children: (asked: AskedWish & { readonly answers: CalledTogether }) => ComponentChildren;
}) {
  const { place, beside } = wish;
  const query = useQuery();
  // What is filtered later, its panel asks.
  const calls = useMemo(() => callsOf(wish, query), [place.slug, beside?.slug]);
  const answers = useCallsTogether(calls);
  // The service answers meanwhile.
  useEffect(prepareFormats, []);
  const none = useNoPlace(place);
  const noBeside = useNoPlace(beside ?? place);
  if (none !== undefined) return <Nowhere none={none} searching={wish.searching} />;
  return (
    <>
      {children(
        noBeside === undefined
          ? { ...wish, answers }
          : { ...wish, answers, beside: undefined, problem: noBeside.message },
      )}
    </>
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

function Nowhere({ none, searching }: { readonly none: NoPlace; readonly searching: Searching }) {
  return (
    <Page title={none.title} lead={none.message} width="narrow">
      <PlaceSearch label="Postcode or place" {...searching} />
      {none.options.length === 0 ? null : (
        <section aria-labelledby="meant" class="part">
          <h2 id="meant">Did you mean</h2>
          <PlaceLinks
            places={none.options.map(({ place, what }) => ({
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

/** The place that it is compared with, as the address says. */
function Beside({
  of,
  children,
}: {
  readonly of: Place;
  readonly children: (
    beside: Place | 'finding' | undefined,
    problem: string | undefined,
  ) => ComponentChildren;
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
            return children('finding', undefined);
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
