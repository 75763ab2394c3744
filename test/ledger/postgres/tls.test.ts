// TLS to a real server: who is believed, and who is refused before a password is sent.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { OwnPostgres } from '../../postgres.ts';
import { openssl, testWith } from '../../requirements.ts';

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority, and a certificate for `localhost` that it signed. */
function makeAuthority(program: string, folder: string, name: string) {
  const at = (part: string) => path.join(folder, `${name}-${part}.pem`);
  const run = (...args: readonly string[]) => execFileSync(program, args, { stdio: 'ignore' });
  run('req', '-x509', ...newKey, '-keyout', at('ca-key'), '-subj', `/CN=${name}`, '-out', at('ca'));
  run('req', ...newKey, '-keyout', at('key'), '-subj', '/CN=localhost', '-out', at('request'));
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost');
  const signed = ['-CA', at('ca'), '-CAkey', at('ca-key'), '-CAcreateserial', '-extfile', at('names')];
  run('x509', '-req', '-in', at('request'), ...signed, '-out', at('certificate'));
  return { ca: at('ca'), certificate: at('certificate'), key: at('key') };
}

testWith(openssl, 'a server is believed as sslmode says', async (program, context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-tls-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const ours = makeAuthority(program, folder, 'ours');
  const others = makeAuthority(program, folder, 'others');
  const server = await OwnPostgres.make(ours);
  context.after(() => server.remove());
  const database = await server.createDatabase();
  const open = (host: string, query: string) =>
    openLedger({
      home: folder,
      databaseUrl: `postgres://domesday:s3cret@${host}:${server.port}/${database}?${query}`,
    });
  const isEncrypted = `SELECT bool_and(ssl) AS is_so FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
    WHERE application_name = 'domesday' AND datname = '${database}'`;

  const believed = [
    ['localhost', `sslmode=verify-full&sslrootcert=${ours.ca}`, true],
    ['127.0.0.1', `sslmode=verify-ca&sslrootcert=${ours.ca}`, true],
    ['127.0.0.1', `sslmode=require&sslrootcert=${ours.ca}`, true],
    ['127.0.0.1', 'sslmode=require', true],
    ['127.0.0.1', 'sslmode=disable', false],
    ['localhost', '', false],
  ] as const;
  for (const [host, query, wanted] of believed) {
    await context.test(`${host}?${query.replace(folder, '…')} is opened`, async () => {
      const { ledger } = await open(host, query);
      try {
        await ledger.ready();
        const { rows } = await server.ask(database, isEncrypted);
        assert.equal(rows[0]?.is_so, wanted);
      } finally {
        await ledger.close();
      }
    });
  }

  const refused = [
    ['localhost', `sslmode=verify-full&sslrootcert=${others.ca}`, /certificate/],
    ['localhost', 'sslmode=verify-full', /certificate/],
    ['127.0.0.1', `sslmode=verify-full&sslrootcert=${ours.ca}`, /127\.0\.0\.1/],
    ['127.0.0.1', `sslmode=verify-ca&sslrootcert=${others.ca}`, /certificate/],
    ['127.0.0.1', `sslmode=require&sslrootcert=${others.ca}`, /certificate/],
  ] as const;
  for (const [host, query, why] of refused) {
    await context.test(`${host}?${query.replace(folder, '…')} is refused`, async () => {
      await assert.rejects(open(host, query), (error: unknown) => {
        assert.ok(error instanceof LedgerUnavailable);
        assert.match(error.message, /^The database of DATABASE_URL cannot be used \(.+\)/);
        assert.match(error.message, why);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    });
  }
});
