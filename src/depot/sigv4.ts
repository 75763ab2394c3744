// Signs requests to S3-compatible stores ("AWS Signature Version 4", one chunk).

import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';

export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
};

type Request = {
  readonly method: string;
  readonly address: URL;
  /** These are signed beside host, time, token and the hash of the body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Hash of the body. */
  readonly sha256: string;
  readonly atMs: number;
};

export const emptySha256 = createHash('sha256').digest('hex');

/** The headers to send, those given among them. */
export async function signRequest(
  { method, address, headers, sha256, atMs }: Request,
  { accessKeyId, secretAccessKey, sessionToken, region }: Credentials,
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    method,
    url: address.href,
    headers: { ...headers, 'x-amz-content-sha256': sha256 },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: 's3',
    region,
    datetime: new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, ''),
  });
  return Object.fromEntries((await signer.sign()).headers);
}
