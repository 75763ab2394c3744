// Finds the newest files of a publication, by what its publisher answers today.

import type { Find, Offer } from '../../ingest/publication.ts';
import { formatDay } from '../../uk/calendar.ts';
import { findItem } from './arcgis.ts';
import { type Ask, fileNameOf, NotFound } from './ask.ts';
import { findAttachments } from './govuk.ts';
import { followLinks } from './links.ts';
import { findProduct } from './os-downloads.ts';

/** `today` is a day of src/uk/calendar.ts. Throws NotFound where the publisher's answer has no such file. */
export async function findOffers(find: Find, ask: Ask, today: number): Promise<readonly Offer[]> {
  switch (find.kind) {
    case 'fixed':
      return find.addresses.map((address) => ({ address, fileName: fileNameOf(address) }));
    case 'os-downloads':
      return [await findProduct(find, ask)];
    case 'govuk':
      return findAttachments(find, ask);
    case 'arcgis':
      return [await findItem(find, ask)];
    case 'links':
      return [await followLinks(find, ask)];
    case 'dated':
      return [await findDated(find, ask, today)];
  }
}

async function findDated(
  { address, daysBack }: Extract<Find, { kind: 'dated' }>,
  ask: Ask,
  today: number,
): Promise<Offer> {
  for (let back = 0; back <= daysBack; back += 1) {
    const day = formatDay(today - back);
    const dated = address.replace('{YYYYMMDD}', day.replaceAll('-', ''));
    if (await ask.isThere(dated)) return { address: dated, fileName: fileNameOf(dated), edition: day };
  }
  throw new NotFound(`none of the last ${daysBack + 1} days has a file at ${address}`);
}
