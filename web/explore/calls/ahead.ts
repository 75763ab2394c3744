// What the page of a place will ask, asked while the code of the explorer is still on its way.

import { prepareFormats } from '../../formats.ts';
import { match } from '../../match.ts';
import type { Me } from '../../me.ts';
import { findPayerAhead } from '../payer.ts';
import { readSlug } from '../place.ts';
import { askAllOf } from './place-calls.ts';

/** `me`: who is signed in, undefined where the service did not say. */
export async function askForPlace(
  { pathname, search }: Location,
  me: Promise<Me | undefined>,
): Promise<void> {
  // Whoever begins to explore is told who pays.
  if (match('/explore', pathname) !== undefined) await findPayerAhead('', me);
  const shown = match('/explore/:slug', pathname)?.slug;
  const slug = shown ?? match('/explore/:slug/report', pathname)?.slug;
  if (slug === undefined) return;
  const payer = await findPayerAhead(slug, me);
  // Other places are looked up first, and a report asks for less.
  const meaning = readSlug(slug);
  if (payer === undefined || shown === undefined || meaning.kind !== 'postcode') return;
  askAllOf(meaning.place, undefined, new URLSearchParams(search), payer);
  prepareFormats();
}
