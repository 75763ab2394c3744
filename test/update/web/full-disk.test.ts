// A disk without room: told before it is full where that can be known, and what came is gone on with once there is room.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { smallDisks, testWith } from '../../requirements.ts';
import { desk, failureOf, linesOf, serve } from './publisher.ts';

const content = linesOf(1_500_000);
const etag = '"one"';

testWith(
  smallDisks(),
  'a full disk is told, the part stays, and with room it is gone on with',
  async (mount, context) => {
    for (const length of ['told', 'untold'] as const) {
      const disk = mkdtempSync(path.join(tmpdir(), 'domesday-disk-'));
      const unmount = mount(disk, 3 * 2 ** 20);
      try {
        const { web, order, asked } = await desk(
          context,
          (question, response) => serve(question, response, { content, etag, length }),
          { safeEveryBytes: 1 << 18 },
        );
        const filler = path.join(disk, 'filler');
        writeFileSync(filler, Buffer.alloc(2 * 2 ** 20));
        const here = { ...order, folder: path.join(disk, 'fetched') };
        const failure = await failureOf(web.download(here), 'disk full');
        assert.match(failure.message, /make room and run it again/);
        if (length === 'told')
          assert.match(failure.message, /1500000 bytes are to come, and there is room for \d+/);
        rmSync(filler);
        const outcome = await web.download(here);
        assert.ok(outcome.kind === 'fetched' && readFileSync(outcome.file).equals(content));
        const from = Number(/\d+/.exec(asked[1]?.headers.range ?? '0')?.[0]);
        assert.equal(from > 500_000, length === 'untold', String(from));
      } finally {
        unmount();
        rmSync(disk, { recursive: true });
      }
    }
  },
);
