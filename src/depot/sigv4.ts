// Signs requests to S3-compatible stores ("AWS Signature Version 4", one chunk). The official packages weigh megabytes; this
// is all of it that publishing and fetching need (docs/decisions/0026-depot.md).

import { createHash, createHmac } from 'node:crypto';

export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
};

type Signed = {
  readonly method: string;
  readonly address: URL;
  /** That are to be signed, beside host, time, token and the hash of the body; names in small letters. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the body. */
  readonly sha256: string;
  readonly atMs: number;
};

export const emptySha256 = createHash('sha256').digest('hex');

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const keyed = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** As RFC 3986 has it: encodeURIComponent leaves five more as they are. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The headers to be sent, those given among them. */
export function signRequest(
  { method, address, headers = {}, sha256, atMs }: Signed,
  { accessKeyId, secretAccessKey, sessionToken, region }: Credentials,
): Record<string, string> {
  const time = new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-content-sha256': sha256,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const signed = Object.entries({ ...sent, host: address.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    address.pathname
      .split('/')
      .map((step) => encoded(decodeURIComponent(step)))
      .join('/'),
    canonicalQuery(address.searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [region, 's3', 'aws4_request'].reduce(keyed, keyed(`AWS4${secretAccessKey}`, day));
  const signature = keyed(key, ['AWS4-HMAC-SHA256', time, scope, hash(canonical)].join('\n')).toString('hex');
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
