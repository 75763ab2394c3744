// An S3-compatible store as a process of its own: node --openssl-legacy-provider s3-process.ts FOLDER. It writes its port. Its tokens
// for the next page of a list use a cipher that is not on by default.

import S3rver from '@20minutes/s3rver';

const [directory = ''] = process.argv.slice(2);
const store = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: 'releases', configs: [] }],
});
const { port } = await store.run();
process.stdout.write(`${port}\n`);
