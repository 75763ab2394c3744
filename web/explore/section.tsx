// The explorer: type a postcode, see the place.

import { Page } from '../components/page.tsx';
import { UnknownPage } from '../components/unknown-page.tsx';
import { sandboxKey } from '../document-facts.ts';
import { match } from '../router.ts';
import { PayerContext } from './payer.ts';
import { PlacePage } from './place-page.tsx';

export function Section({ path }: { readonly path: string }) {
  if (path === '/explore') return <Page title="Explore a place">{null}</Page>;
  const slug = match('/explore/:slug', path)?.slug;
  if (slug === undefined || sandboxKey === undefined) return <UnknownPage />;
  const postcode = slug.replaceAll('-', ' ').toUpperCase();
  const place = { slug, title: postcode, kind: 'postcode', postcode, area: postcode } as const;
  return (
    <PayerContext.Provider
      value={{ kind: 'sandbox', name: undefined, key: async () => ({ kind: 'key', key: sandboxKey ?? '' }) }}
    >
      <PlacePage place={place} beside={undefined} />
    </PayerContext.Provider>
  );
}
