// Reads the small documents in which publishers say what files there are: JSON of an API, or a page with links.

import { parseJson } from '../../json.ts';
import type { Answer } from './exchange.ts';
import { shown, TransferFailed } from './failure.ts';
import { isWebPage } from './web-page.ts';

export type Bounds = {
  readonly hosts: readonly string[];
  readonly mostBytes: number;
  readonly signal?: AbortSignal;
};

export type JsonDocument = { readonly value: unknown; readonly address: string };
/** `address`: after redirects, as links are relative to it. */
export type HtmlDocument = { readonly text: string; readonly address: string };

export async function readJson(answer: Answer, mostBytes: number): Promise<JsonDocument> {
  const { address } = answer;
  const bytes = await readBytes(answer, mostBytes);
  if (isWebPage(bytes))
    throw new TransferFailed(
      'web page instead of data',
      `${shown(address)} should be JSON but is a web page; try again later, or look at the page of the publication.`,
      { host: address.hostname },
    );
  const value = parseJson(new TextDecoder().decode(bytes));
  if (value === undefined)
    throw new TransferFailed(
      'not JSON',
      `${shown(address)} should be JSON but is not; try again later, or look at the page of the publication.`,
      { host: address.hostname },
    );
  return { value, address: address.href };
}

export async function readHtml(answer: Answer, mostBytes: number): Promise<HtmlDocument> {
  return {
    text: new TextDecoder().decode(await readBytes(answer, mostBytes)),
    address: answer.address.href,
  };
}

export async function readBytes({ body, header, address }: Answer, mostBytes: number): Promise<Uint8Array> {
  refuseEncoded(header('content-encoding'), address);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes)
      throw new TransferFailed(
        'too large',
        `${shown(address)} is larger than ${mostBytes} bytes, which is too much for an index.`,
        { host: address.hostname },
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Its length and its ranges would be those of another file. */
export function refuseEncoded(encoding: string | undefined, address: URL): void {
  if (encoding === undefined || encoding === 'identity') return;
  throw new TransferFailed(
    'encoded',
    `${shown(address)} came compressed (${encoding}), although we asked for it uncompressed; fetch it yourself and give it to \`domesday ingest\`.`,
    { host: address.hostname },
  );
}
