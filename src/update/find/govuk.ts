// GOV.UK: the content API tells the attachments of a page. When a page was last changed says nothing about its files.

import type { Find, Offer } from '../../ingest/publication.ts';
import { type Ask, countOf, fileNameOf, listOf, NotFound, newestOf, textOf } from './ask.ts';

const api = 'https://www.gov.uk/api/content';

type GovukFind = Extract<Find, { kind: 'govuk' }>;

export async function findAttachments(find: GovukFind, ask: Ask): Promise<readonly Offer[]> {
  const path = find.document === undefined ? find.path : await findDocument(find.path, find.document, ask);
  const attachments = listOf(await ask.json(`${api}${path}`), 'details', 'attachments');
  if (attachments === undefined) throw new NotFound(`https://www.gov.uk${path} lists no attachments`);
  return find.files.map(({ title, fileName }) => {
    const pattern = title ?? fileName ?? /(?:)/;
    const found = newestOf(attachments, pattern, (entry) =>
      title === undefined
        ? nameIn(entry)
        : fileName === undefined || fileName.test(nameIn(entry))
          ? (textOf(entry, 'title') ?? '')
          : '',
    );
    const address = textOf(found, 'url');
    if (address === undefined) {
      throw new NotFound(`https://www.gov.uk${path} has no attachment like ${pattern.source}`);
    }
    const bytes = countOf(found, 'file_size');
    const edition = textOf(found, 'title');
    return {
      address,
      fileName: fileNameOf(address),
      ...(edition === undefined ? {} : { edition }),
      ...(bytes === undefined ? {} : { bytes }),
    };
  });
}

function nameIn(attachment: unknown): string {
  const address = textOf(attachment, 'url');
  return textOf(attachment, 'filename') ?? (address === undefined ? '' : fileNameOf(address));
}

async function findDocument(path: string, title: RegExp, ask: Ask): Promise<string> {
  const documents = listOf(await ask.json(`${api}${path}`), 'links', 'documents');
  const newest = newestOf(documents ?? [], title, (document) => textOf(document, 'title') ?? '');
  const found = textOf(newest, 'base_path');
  if (found === undefined)
    throw new NotFound(`https://www.gov.uk${path} has no document titled like ${title.source}`);
  return found;
}
