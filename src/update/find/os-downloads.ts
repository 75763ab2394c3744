// The downloads API of Ordnance Survey: version, size and MD5 of every product, without a key.

import type { Find, Offer } from '../../ingest/publication.ts';
import { type Ask, countOf, listOf, NotFound, textOf } from './ask.ts';

const products = 'https://api.os.uk/downloads/v1/products';

export async function findProduct(
  { product, area, format }: Extract<Find, { kind: 'os-downloads' }>,
  ask: Ask,
): Promise<Offer> {
  const version = textOf(await ask.json(`${products}/${product}`), 'version');
  const address = `${products}/${product}/downloads`;
  const found = listOf(await ask.json(address))?.find(
    (entry) => textOf(entry, 'area') === area && textOf(entry, 'format') === format,
  );
  const url = textOf(found, 'url');
  if (url === undefined) throw new NotFound(`${address} offers no ${format} of ${area}`);
  const bytes = countOf(found, 'size');
  const md5 = textOf(found, 'md5')?.toLowerCase();
  return {
    address: url,
    fileName: textOf(found, 'fileName')?.replaceAll(/[^\w.() -]/g, '_') ?? `${product}.zip`,
    ...(version === undefined ? {} : { edition: version }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(md5 !== undefined && /^[0-9a-f]{32}$/.test(md5) ? { md5 } : {}),
  };
}
