// What an address of a database says about TLS.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { LedgerRefusal } from '../../../src/ledger/ledger.ts';
import { nameOf, readAddress } from '../../../src/ledger/postgres/address.ts';

test('without a word the certificate is verified, unless the way does not leave the machine', () => {
  assert.equal(readAddress('postgres:///d').ssl, false);
  for (const host of ['localhost:5432', '127.0.0.1', '[::1]:5433']) {
    assert.equal(readAddress(`postgres://u:p@${host}/d`).ssl, false, host);
  }
  assert.equal(readAddress('postgres:///d?host=/run/postgresql').ssl, false);
  assert.deepEqual(readAddress('postgres://u:p@db.example.com/d').ssl, {});
  assert.deepEqual(readAddress('postgres://u:p@db.example.com/d?sslmode=verify-full').ssl, {});
  assert.equal(readAddress('postgres://u:p@db.example.com/d?sslmode=disable').ssl, false);
});

test('require encrypts, verify-ca verifies who signed, verify-full the name too', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'domesday-address-'));
  const pem = path.join(folder, 'root.pem');
  writeFileSync(pem, 'a certificate');
  const sslOf = (query: string) => readAddress(`postgresql://u:p@db/d?${query}`).ssl;
  assert.deepEqual(sslOf('sslmode=require'), { rejectUnauthorized: false });
  for (const query of [`sslmode=verify-ca&sslrootcert=${pem}`, `sslmode=require&sslrootcert=${pem}`]) {
    const ssl = sslOf(query);
    assert.ok(ssl !== false);
    assert.deepEqual([ssl.ca, ssl.rejectUnauthorized], ['a certificate', undefined]);
    assert.equal(typeof ssl.checkServerIdentity, 'function');
  }
  const own = sslOf(`sslmode=verify-full&sslrootcert=${pem}&sslcert=${pem}&sslkey=${pem}`);
  assert.deepEqual(own, { ca: 'a certificate', cert: 'a certificate', key: 'a certificate' });
  assert.equal(
    readAddress(`postgres://u:p@db/d?sslmode=require&a=b`).connectionString,
    'postgres://u:p@db/d?a=b',
  );
  rmSync(folder, { recursive: true });
});

test('what may or may not be encrypted, is not known or cannot be read is refused', () => {
  for (const query of ['sslmode=prefer', 'sslmode=allow', 'sslmode=on', 'sslrootcert=/nowhere/root.pem']) {
    assert.throws(
      () => readAddress(`postgres://u:s3cret@db/d?${query}`),
      (error) => {
        assert.ok(error instanceof LedgerRefusal);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      },
    );
  }
  for (const url of ['mysql://u:p@h/d', 'a database']) assert.throws(() => readAddress(url), LedgerRefusal);
});

test('people are told of a database without its user and password, whatever its address looks like', () => {
  assert.equal(
    nameOf('postgres://ada:secret@db.example.com:5433/books'),
    'the database books on db.example.com:5433',
  );
  assert.equal(nameOf('postgres:///books?host=/run/postgresql'), 'the database books on /run/postgresql');
  assert.equal(nameOf('postgres:///'), 'the database of its user on localhost');
  assert.throws(
    () => nameOf('no address, secret'),
    (error) => error instanceof LedgerRefusal && !error.message.includes('secret'),
  );
});
