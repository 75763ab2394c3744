// Index pages for people: the link that leads to the file, or to the page that has it.

import type { Find, Offer } from '../../ingest/publication.ts';
import { type Ask, fileNameOf, NotFound, newestOf } from './ask.ts';

/** How far behind its link the MD5 of a file may stand. */
const md5Within = 400;

type Link = { readonly address: string; readonly md5: string | undefined };

export async function followLinks(
  { page, follow, md5Behind }: Extract<Find, { kind: 'links' }>,
  ask: Ask,
): Promise<Offer> {
  let at: Link = { address: page, md5: undefined };
  for (const pattern of follow) {
    const index = await ask.page(at.address);
    const found = newestOf(linksOf(index.text, index.address), pattern, ({ address }) => address);
    if (found === undefined) throw new NotFound(`${at.address} has no link like ${pattern.source}`);
    at = found;
  }
  const edition = follow.at(-1)?.exec(at.address)?.groups?.newest;
  return {
    address: at.address,
    fileName: fileNameOf(at.address),
    ...(edition === undefined ? {} : { edition }),
    ...(md5Behind === undefined || at.md5 === undefined ? {} : { md5: at.md5 }),
  };
}

/** In the order of the page. */
function linksOf(html: string, page: string): readonly Link[] {
  const hrefs = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)];
  return hrefs.flatMap((match, index) => {
    const written = (match[1] ?? match[2] ?? '').replaceAll('&amp;', '&').trim();
    const address = URL.parse(written, page)?.href;
    if (address === undefined) return [];
    const behind = html.slice(
      match.index,
      Math.min(hrefs[index + 1]?.index ?? html.length, match.index + md5Within),
    );
    return [{ address, md5: /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i.exec(behind)?.[0].toLowerCase() }];
  });
}
