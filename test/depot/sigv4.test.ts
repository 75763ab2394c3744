// Signatures of requests to S3-compatible stores, against an example of Amazon's documentation ("Signature Calculations for
// the Authorization Header").

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { emptySha256, signRequest } from '../../src/depot/s3-address.ts';

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: undefined,
  region: 'us-east-1',
};
const atMs = Date.UTC(2013, 4, 24);

test('the documented example of a PUT has the documented signature', async () => {
  const address = new URL('https://examplebucket.s3.amazonaws.com/test$file.text');
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  const sha256 = createHash('sha256').update('Welcome to Amazon S3.').digest('hex');
  const signed = await signRequest({ method: 'PUT', address, headers, sha256, atMs }, credentials);
  const scope = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';
  const names = 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class';
  const signature = '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd';
  assert.equal(
    signed.authorization,
    `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`,
  );
});

test('a session token is sent and signed', async () => {
  const address = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  const request = { method: 'GET', address, sha256: emptySha256, atMs };
  const signed = await signRequest(request, { ...credentials, sessionToken: 'a-token' });
  assert.equal(signed['x-amz-security-token'], 'a-token');
  assert.match(signed.authorization ?? '', /SignedHeaders=host;[^,]*x-amz-security-token,/);
});
