// Texts that fit no line by themselves, because commas are missing, and what the other lines of the postcode tell of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAddress } from '../../../src/uk/address/match.ts';

const postcode = 'ZZ1 1AA';
const withoutCommas = (line: string) => line.replaceAll(',', '');

function found(text: string, list: readonly string[]): string | undefined {
  const match = matchAddress(text, postcode, list);
  return match.kind === 'matched' ? list[match.index] : undefined;
}

const flats = (name: string, ...ids: readonly number[]) => ids.map((id) => `FLAT ${id}, ${name}, HALVERTON`);
const bramble = flats('BRAMBLE COURT, UMBER ROAD', 40, 41, 42);

/** In a list with commas and in one without. */
function eachWay(list: readonly string[], check: (list: readonly string[]) => void): void {
  check(list);
  check(list.map(withoutCommas));
}

test('a number between a block and its street is the flat where the list has the flats of that block without a number', () => {
  eachWay(bramble, (list) => assert.equal(found('Bramble Court 41 Umber Road Halverton', list), list[1]));
  eachWay(bramble, (list) => assert.equal(found('bramble ct 41 umber rd', list), list[1]));
});

test('it is not the flat where the list leaves any doubt', () => {
  const text = 'Bramble Court 41 Umber Road';
  const doubtful: readonly (readonly string[])[] = [
    bramble.slice(0, 2),
    [...bramble, '41 UMBER ROAD, HALVERTON'],
    [...bramble, 'BRAMBLE COURT, UMBER ROAD, HALVERTON'],
    [...bramble, 'FLAT 1, BRAMBLE COURT, 7 UMBER ROAD, HALVERTON'],
    [...bramble, ...bramble],
    flats('BRAMBLE COURT, 7 UMBER ROAD', 40, 41, 42),
    flats('BRAMBLE COURT, INDIGO ROAD', 40, 41, 42),
  ];
  for (const lines of doubtful)
    eachWay(lines, (list) => assert.doesNotMatch(found(text, list) ?? '', /^FLAT/));
  for (const name of ['RHYDFACH', 'MANOR FARM', 'THE OLD FORGE', 'ROSE COTTAGES', 'THE MEWS']) {
    eachWay(flats(`${name}, UMBER ROAD`, 40, 41, 42), (list) =>
      assert.equal(found(`${name} 41 Umber Road`, list), undefined, name),
    );
  }
  assert.equal(found('Bramble Court, 41 Umber Road', bramble), undefined);
});

test('a number after a row of houses is that of the row where the list has two of it and no such number of the street', () => {
  const row = ['1 RECTORY COTTAGES, CHURCH STREET, STOWICK', '2 RECTORY COTTAGES, CHURCH STREET, STOWICK'];
  for (const text of ['Rectory Cottages, 2, Church Street', 'Rectory Cottages 2 Church Street']) {
    eachWay(row, (list) => assert.equal(found(text, list), list[1]));
    eachWay(row.slice(1), (list) => assert.equal(found(text, list), undefined));
    eachWay([...row, '2 CHURCH STREET, STOWICK'], (list) =>
      assert.doesNotMatch(found(text, list) ?? '', /^2 RECTORY/),
    );
  }
});

test('of two numbers the one that all flats of the block share is that of the street', () => {
  const list = flats('TURNSTONE MANSIONS, 89 ALLIS ROAD', 11, 12, 13);
  eachWay(list, (lines) => assert.equal(found('Turnstone Mansions 89 12 Allis Road', lines), lines[1]));
  eachWay(list, (lines) => assert.equal(found('Turnstone Mansions 88 12 Allis Road', lines), undefined));
});

test('the building may stand before its flat, but a word of the flat may not', () => {
  eachWay(['FLAT 7, SOUTH VIEW, IRIS LANE, HALVERTON'], (list) => {
    assert.equal(found('South View Flat 7 Iris Lane', list), list[0]);
    for (const word of ['Wardens', 'New', 'Staff', 'South', 'Upper', 'The Porters'])
      assert.equal(found(`${word} Flat 7 South View Iris Lane`, list), undefined, word);
  });
  for (const line of ['FLAT 7, NEW IRIS LANE, HALVERTON', 'FLAT 7, IRIS LANE, HALVERTON'])
    eachWay([line], (list) => assert.equal(found('New Flat 7 Iris Lane Halverton', list), undefined, line));
});

test('the street may be left out after the whole name of a building, never after a part of it', () => {
  const list = flats('TY GWYN, IRIS LANE', 6, 7, 8).map(withoutCommas);
  assert.equal(found('Flat 7 Ty Gwyn', list), list[1]);
  assert.equal(found('Flat 7 Ty', list), undefined);
  assert.equal(found('Flat 9 Ty Gwyn', list), undefined);
  const numbered = flats('TY GWYN, 3 IRIS LANE', 6, 7, 8).map(withoutCommas);
  assert.equal(found('Flat 7 Ty Gwyn', numbered), numbered[1]);
  assert.equal(found('Flat 7 Gwyn', numbered), undefined);
});

test('a firm or person before an address is no part of it, but a firm of a flat is', () => {
  eachWay(['3 MILL ROAD, HALVERTON', '5 MILL ROAD, HALVERTON'], (list) => {
    for (const name of ['Dexters Ltd', 'Savills', 'c/o Mrs Plover', 'Mr J Smith'])
      assert.equal(found(`${name} 3 Mill Road`, list), list[0], name);
    assert.equal(found('Property 3 Mill Road', list), undefined);
  });
  eachWay(['FLAT 3, MILL ROAD, HALVERTON'], (list) =>
    assert.equal(found('Council Flat 3 Mill Road', list), undefined),
  );
});

test('a village of West Linton is told from Linton after Mill Road West', () => {
  const village = ['4 MILL ROAD WEST LINTON', '4 MILL CLOSE WEST LINTON'];
  assert.equal(found('4 Mill Road', village), village[0]);
  const street = ['4 MILL ROAD WEST LINTON', '4 MILL CLOSE WEST LINTON', '6 HIGH STREET LINTON'];
  assert.equal(found('4 Mill Road', street), undefined);
});

test('the number of a house is enough where it alone has that name and number', () => {
  const list = ['ROWAN HOUSE 31 FERN STREET HALVERTON', '33 FERN STREET HALVERTON'];
  assert.equal(found('31 Fern Street', list), list[0]);
  for (const other of ['FLAT 1 31 FERN STREET HALVERTON', 'ROWAN HOUSE 35 FERN STREET HALVERTON'])
    assert.equal(found('31 Fern Street', [...list, other]), undefined, other);
  for (const name of ['MAXWELL COURT', 'THE BUNGALOW', 'GARDEN COTTAGE', 'QUILLET'])
    assert.equal(found('31 Fern Street', [`${name} 31 FERN STREET HALVERTON`]), undefined, name);
});
