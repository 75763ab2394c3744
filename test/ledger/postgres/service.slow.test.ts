// The service and the commands on a ledger in a database, as an operator and a caller meet them.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { OwnPostgres } from '../../postgres.ts';
import { bundledHome, type Running, runDomesday, startDomesday, temporaryHome } from '../../rig.ts';

const path = '/api/v1/bank-rates';

describe('with DATABASE_URL', () => {
  let server: OwnPostgres;
  let env: Record<string, string>;
  const started: Running[] = [];
  const homes: { readonly home: string; readonly remove: () => void }[] = [];
  before(async () => {
    server = await OwnPostgres.make();
    env = { DATABASE_URL: server.url(await server.createDatabase()) };
  });
  after(async () => {
    for (const { stop } of started) await stop('SIGKILL');
    for (const { remove } of homes) remove();
    await server.remove();
  });

  const domesday = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runDomesday(args, { ...env, DOMESDAY_HOME: '/nowhere/at/all' });
    assert.equal(code, 0, err);
    return out;
  };
  const start = async (more: Record<string, string>): Promise<Running> => {
    const own = await bundledHome();
    homes.push(own);
    const running = await startDomesday(own.home, {
      ...env,
      DOMESDAY_DEMO_ACCOUNT: 'off',
      DOMESDAY_SAMPLE: 'serve',
      ...more,
    });
    started.push(running);
    return running;
  };

  it('every command works without a home', async () => {
    const temporary = temporaryHome();
    const { accountId } = JSON.parse(
      await domesday('accounts', 'create', '--name', 'Ada', '--plan', 'basic', '--json'),
    );
    const { keyId } = JSON.parse(await domesday('keys', 'create', '--account', accountId, '--json'));
    await domesday('accounts', 'credit', accountId, '5', '--note', 'welcome');
    assert.match(await domesday('keys', 'list', '--account', accountId), new RegExp(keyId));
    await domesday('keys', 'revoke', keyId);
    assert.match(await domesday('accounts', 'list'), /Ada/);
    assert.match(await domesday('ledger', 'trim', '--before', '2020-01-01'), /no entries before 2020-01-01/);
    const check = await runDomesday(['check', '--all'], { ...env, DOMESDAY_HOME: '/nowhere/at/all' });
    assert.match(check.out, /1 account; it can be read and written/);
    assert.match(check.out, /1 journal, one for each account, with 2 entries: all correct/);
    const backup = `${temporary.home}/backup.sqlite`;
    assert.match(await domesday('backup', backup), /1 account, 2 entries, up to entry \d+ of 20/);
    assert.match(await domesday('restore', backup), /^Restored to the database .*: 1 account, 2 entries/);
    temporary.remove();
  });

  it('two services share credits and limits; while the database is away they answer 503, and then go on', async () => {
    const services = await Promise.all([start({}), start({})]);
    const account = ['--name', 'Bea', '--plan', 'enterprise', '--credits', '20', '--json'];
    const { accountId } = JSON.parse(await domesday('accounts', 'create', ...account));
    const { key, keyId } = JSON.parse(await domesday('keys', 'create', '--account', accountId, '--json'));
    const call = (service: Running) => fetch(service.url + path, { headers: { 'x-api-key': key } });
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const reply = await call(services[i % 2] ?? assert.fail());
          await reply.text();
          return reply.status;
        }),
      );
    const countOf = (all: readonly number[], status: number) => all.filter((each) => each === status).length;
    const first = await statuses();
    assert.deepEqual([countOf(first, 200), countOf(first, 402)], [20, 40]);
    const isReady = async (service: Running) => (await fetch(`${service.url}/health/ready`)).status === 200;
    for (const service of services) assert.ok(await isReady(service));
    await server.stop('immediate');
    for (const service of services) {
      const reply = await call(service);
      assert.equal(reply.status, 503);
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
      assert.doesNotMatch(await reply.text(), /postgres|ECONN|127\.0\.0\.1/i);
      assert.equal(await isReady(service), false, 'once a call has met the outage, not a moment later');
    }
    await server.start();
    for (const service of services) await until(() => isReady(service));
    await domesday('accounts', 'credit', accountId, '1000');
    for (const service of services)
      assert.equal((await call(service)).status, 200, 'credits granted elsewhere');
    await domesday('keys', 'revoke', keyId);
    for (const service of services) assert.equal((await call(service)).status, 401, 'revoked elsewhere');
    for (const service of services) {
      const { code, errors } = await service.stop();
      assert.equal(code, 0, errors);
    }
    const check = await runDomesday(['check', '--all'], { ...env, DOMESDAY_HOME: homes[0]?.home ?? '' });
    assert.doesNotMatch(check.out, /breaks|contradict/);
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(20);
}
