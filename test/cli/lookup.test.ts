// `domesday lookup`: what the endpoints know, for a person or a script, without a service.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bundledHome, openRig, runDomesday, temporaryHome } from '../rig.ts';

let home: string;
let remove: () => void;
before(async () => {
  ({ home, remove } = await bundledHome());
});
after(() => remove());

const look = (...words: readonly string[]) => runDomesday(['lookup', ...words, '--home', home]);

test('however the postcode is typed, it tells place, council tax, crime, prices and area, each with its edition', async () => {
  const spaced = await look('PO33', '2RX');
  assert.deepEqual([spaced.code, spaced.err], [0, '']);
  for (const words of [['po332rx'], ['po33 2rx'], ['PO3', '32', 'rx']]) {
    assert.equal((await look(...words)).out, spaced.out);
  }
  const sections = spaced.out.split(/\n\n/).slice(1);
  assert.deepEqual(
    sections.map((text) => text.split('\n')[0]),
    ['PLACE', 'COUNCIL TAX', 'CRIME', 'SOLD PRICES', 'AREA STATISTICS'],
  );
  for (const text of sections) assert.match(text, /^ {2}Data: .+ \(.+; as of \d{4}-\d\d-\d\d.*\)$/m);
  assert.match(spaced.out, /authority +Isle of Wight Council \(E06000046\)/);
  assert.match(spaced.out, /terminated +no, it is in use/);
  assert.match(spaced.out, /easting +unknown/);
  assert.doesNotMatch(spaced.out, /undefined|\[object|NaN|null,/);
});

test('lists are tables with a head, and no line is wider than a hundred columns', async () => {
  const { out } = await look('PO33', '2RX');
  const lines = out.split('\n');
  const told = lines.filter((line) => !/^ {2}(Data|Not known): |^ {2}\(/.test(line));
  assert.deepEqual(
    told.filter((line) => line.length > 102),
    [],
  );
  const { sections } = JSON.parse((await look('PO33', '2RX', '--json')).out);
  const { crimeCategories } = sections.find(({ about }: { about: string }) => about === 'crime').answer;
  const at = lines.findIndex((line) => /^ {2}crime categories +display name +count +percentage$/.test(line));
  assert.ok(at > 0 && crimeCategories.length > 1, out);
  const [first] = crimeCategories;
  const row = lines[at + 1] ?? '';
  assert.deepEqual(row.trim().split(/ {2,}/), [
    first.displayName,
    String(first.count),
    String(first.percentage),
  ]);
  // Figures end below the end of their title.
  assert.equal(row.length, lines[at]?.length);
});

test('--json has what the endpoints of the service answer', async () => {
  const { code, out } = await look('NP10', '8WA', '--json');
  assert.equal(code, 0);
  const { postcode, sections } = JSON.parse(out);
  assert.equal(postcode, 'NP10 8WA');
  const rig = await openRig();
  // The command goes by the clock of the machine.
  rig.clock.nowMs = Date.now();
  try {
    const { key } = await rig.customer({ limits: { minute: null } });
    for (const { endpoint, answer, error, coverage, datasets } of sections) {
      const more = endpoint === '/area/sold-prices' ? '&months=360&limit=1' : '';
      const { headers, ...told } = await rig.get(`/api/v1${endpoint}?postcode=NP10 8WA${more}`, key);
      const reply = told.json();
      assert.equal(coverage, headers['x-data-coverage'] ?? null, endpoint);
      if (reply.success) assert.deepEqual(answer, reply.data, endpoint);
      else assert.deepEqual([error.code, error.message], [reply.error.code, reply.error.message]);
      for (const { edition, asOf } of datasets) assert.ok(edition && asOf, endpoint);
    }
  } finally {
    await rig.close();
  }
});

test('what is not known is said in its section, and the rest is told', async () => {
  const { code, out } = await look('AB10 1AB');
  assert.equal(code, 0);
  assert.match(out, /CRIME\n {2}Not known: Police Scotland does not publish/);
  assert.match(
    out,
    /SOLD PRICES\n {2}Not known: the register of sales covers England and Wales, not Scotland\.\n/,
  );
  const unsold = await look('EC1A 2FG');
  assert.match(unsold.out, /SOLD PRICES\n {2}Not known: only a sample of the sales in EC is loaded\.\n/);
  assert.match(out, /COUNCIL TAX\n {2}authority +Aberdeen City Council/);
});

test('a postcode that is none is wrong usage; one that is not known is refused; both in one line', async () => {
  for (const [words, status, said] of [
    [[], 2, /^Name the postcode: /],
    [['SW1A'], 2, /^"SW1A" is not a full UK postcode, such as SW1A 1AA\. See: /],
    [['hello', 'world'], 2, /^"hello world" is not a full UK postcode/],
    [['ZZ1', '1AA'], 1, /^ZZ1 1AA is a fictional postcode of the sandbox, which this command does not read/],
    [['SW1A', '1AA', '--jsn'], 2, /^There is no option --jsn\. Did you mean --json\?/],
  ] as const) {
    const { code, out, err } = await look(...words);
    assert.deepEqual([code, out], [status, ''], words.join(' '));
    assert.match(err, said);
    assert.equal(err.trimEnd().split('\n').length, 1);
  }
  const empty = temporaryHome();
  try {
    const { code, err } = await runDomesday(['lookup', 'SW1A1AA', '--home', empty.home]);
    assert.deepEqual([code, err.trimEnd().split('\n').length], [1, 1]);
  } finally {
    empty.remove();
  }
});
