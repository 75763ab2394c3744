// An update that an operator begins on a page, as a real process beside the service.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openLoading } from '../../../src/cli/serve/updater.ts';
import { readSettings } from '../../../src/config.ts';
import { temporaryHome } from '../../rig.ts';

test('an update from a page that cannot write to the home ends and says so, and another may begin: after it, and after a start anew in the midst of one', async (context) => {
  const { home, remove } = temporaryHome();
  context.after(remove);
  const mirror = path.join(home, 'mirror');
  mkdirSync(mirror);
  writeFileSync(path.join(home, 'updates'), 'in the way');
  const settings = readSettings({ DOMESDAY_HOME: home, DOMESDAY_UPDATE_FROM: mirror }, {});
  const open = () => {
    const loading = openLoading(settings, Date.now);
    context.after(() => loading.stop());
    return loading;
  };
  const loading = open();
  assert.equal(loading.progress(), null);
  assert.equal(loading.begin(), 'begun');
  assert.equal(loading.begin(), 'running already');
  const anew = open();
  assert.equal(anew.begin(), 'begun');
  for (const each of [loading, anew]) {
    while (each.progress()?.state === 'running') await pause(20);
    assert.match(each.progress()?.lines.join('\n') ?? '', /updates/);
    assert.equal(each.progress()?.lines.at(-1), 'The update ended; the data stays as it was.');
  }
  assert.equal(loading.begin(), 'begun');
});
