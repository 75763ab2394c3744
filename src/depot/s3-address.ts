// Where a bucket is, and who asks: the standard variables of S3-compatible stores, and the signature that they want.

import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { DepotFault } from './fault.ts';

type Env = Readonly<Record<string, string | undefined>>;

// Signs requests to S3-compatible stores ("AWS Signature Version 4", one chunk).

type Credentials = {
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

export type Bucket = {
  readonly credentials: Credentials;
  /** Of the bucket itself. */
  readonly root: URL;
  /** Of a key below the prefix. */
  readonly addressOf: (key: string) => URL;
  /** With its slash at the end; empty where there is none. */
  readonly prefix: string;
};

export const isS3Address = (text: string): boolean => /^s3:\/\//i.test(text);

/** Throws DepotFault. */
export function readBucket(text: string, env: Env): Bucket {
  const [, bucket = '', path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/i.exec(text) ?? [];
  if (bucket === '')
    throw new DepotFault(
      'refused',
      `"${text}" is not the address of a bucket; write s3://BUCKET/PREFIX, with letters, digits and . _ - / in the prefix.`,
    );
  const credentials = readCredentials(env);
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const root = rootOf(bucket, credentials.region, endpoint);
  const steps = path.split('/').filter((step) => step !== '');
  const prefix = steps.map((step) => `${step}/`).join('');
  const addressOf = (key: string) => {
    const address = new URL(root);
    address.pathname = `${root.pathname}${prefix}${key}`;
    return address;
  };
  return { credentials, root, addressOf, prefix };
}

function readCredentials(env: Env): Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new DepotFault(
      'refused',
      'The store needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. For a public bucket, use its https address instead.',
    );
  const hasEndpoint = Boolean(env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL);
  // Stores other than Amazon's have this one, or take any.
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || (hasEndpoint ? 'us-east-1' : undefined);
  if (region === undefined || !/^[a-z0-9-]+$/i.test(region))
    throw new DepotFault('refused', 'Set AWS_REGION to the region of the bucket, such as eu-west-2.');
  return { accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN || undefined, region };
}

/** The name of the bucket is in the path where an endpoint is given, or where dots in it would not fit the certificate. */
function rootOf(bucket: string, region: string, endpoint: string | undefined): URL {
  if (endpoint === undefined)
    return new URL(
      bucket.includes('.')
        ? `https://s3.${region}.amazonaws.com/${bucket}/`
        : `https://${bucket}.s3.${region}.amazonaws.com/`,
    );
  const root = URL.parse(endpoint);
  if (root === null || !/^https?:$/.test(root.protocol) || root.search !== '' || root.username !== '')
    throw new DepotFault(
      'refused',
      `AWS_ENDPOINT_URL is "${endpoint}"; it must be an http or https address.`,
    );
  root.pathname = `${root.pathname.replace(/\/+$/, '')}/${bucket}/`;
  return root;
}
