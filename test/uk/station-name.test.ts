// Names of stations as NaPTAN has them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRailStation, readStationName } from '../../src/sources/transport/station-merge.ts';

test('rows of one station have one stem, those of neighbours different ones', () => {
  const stems = (names: readonly string[]) => new Set(names.map((name) => readStationName(name).stem)).size;
  assert.equal(
    stems([
      'London St Pancras International LL Rail Station',
      'London St Pancras International Rail Station',
      'St Pancras International',
    ]),
    1,
  );
  assert.equal(stems(['Farringdon (London) Rail Station', 'Farringdon']), 1);
  assert.equal(stems(['Liverpool Central Loop Line', 'Liverpool Central Rail Station']), 1);
  assert.equal(
    stems(['Glasgow Queen Street Low Level Rail Station', 'Glasgow Queen Street Rail Station']),
    1,
  );
  assert.equal(stems(["St James' Park (Devon) Rail Station", 'St James Park Railway Station']), 1);
  assert.equal(stems(['Richmond NLL Rail Station', 'Richmond (London) Rail Station']), 1);
  assert.equal(stems(['Manchester Piccadilly Rail Station', 'Manchester Victoria Rail Station']), 2);
  assert.equal(readStationName('London Rail Station').stem, 'london');
  assert.deepEqual(readStationName('Heath High Level Rail Station'), { stem: 'heath', part: 'high level' });
  assert.deepEqual(readStationName('Low Level Station'), { stem: 'low level', part: '' });
});

test('stops of buses, boats and metros are no railway stations, whatever list they stand in', () => {
  const others = [
    ['9100ZZTYLIN', 'Linlithgow Steps'],
    ['9100HTRWCBS', 'Heathrow Airport Central Bus Stn (Rail-Air)'],
    ['9100HTRBUS5', 'Heathrow Airport Terminal 5'],
    ['9100SOTNTQ', 'Southampton Town Quay'],
    ['9100SSEACLE', 'Southsea Hoverport'],
    ['9100AIRP', 'Newcastle Airport Metro'],
  ] as const;
  for (const [code, name] of others) assert.ok(!isRailStation(code, name), name);
  const stations = [
    ['9100BUSHYDC', 'Bushey Rail Station'],
    ['9100RYDP', 'Ryde Pier Head Rail Station'],
    ['9100BONDST', 'Bond Street'],
    ['9100METROCN', 'MetroCentre Rail Station'],
    ['9100BSPSLYD', "Bishop's Lydeard"],
  ] as const;
  for (const [code, name] of stations) assert.ok(isRailStation(code, name), name);
});
