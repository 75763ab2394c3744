// Signatures of requests to S3-compatible stores, against the examples of Amazon's documentation ("Signature Calculations for
// the Authorization Header", examples of a single chunk).

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { emptySha256, signRequest } from '../../src/depot/sigv4.ts';

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: undefined,
  region: 'us-east-1',
};
const atMs = Date.UTC(2013, 4, 24);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const examples = [
  {
    name: 'GET of an object, a part of it',
    method: 'GET',
    path: '/test.txt',
    headers: { range: 'bytes=0-9' },
    body: '',
    names: 'host;range;x-amz-content-sha256;x-amz-date',
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'PUT of an object',
    method: 'PUT',
    path: '/test$file.text',
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    body: 'Welcome to Amazon S3.',
    names: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET of a setting of a bucket, with a query without value',
    method: 'GET',
    path: '/?lifecycle',
    headers: {},
    body: '',
    names: 'host;x-amz-content-sha256;x-amz-date',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'list of objects',
    method: 'GET',
    path: '/?max-keys=2&prefix=J',
    headers: {},
    body: '',
    names: 'host;x-amz-content-sha256;x-amz-date',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
] as const;

for (const { name, method, path, headers, body, names, signature } of examples) {
  test(`the documented example has the documented signature: ${name}`, () => {
    const address = new URL(path, 'https://examplebucket.s3.amazonaws.com');
    const signed = signRequest({ method, address, headers, sha256: sha256(body), atMs }, credentials);
    const scope = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';
    assert.equal(
      signed.authorization,
      `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`,
    );
  });
}

test('a session token is sent and signed', () => {
  const address = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  const wish = { method: 'GET', address, sha256: emptySha256, atMs };
  const signed = signRequest(wish, { ...credentials, sessionToken: 'a-token' });
  assert.equal(signed['x-amz-security-token'], 'a-token');
  assert.match(signed.authorization ?? '', /SignedHeaders=host;[^,]*x-amz-security-token,/);
});
