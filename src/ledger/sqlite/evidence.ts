// What the SQLite engine's file has besides the journals, for whoever compares the two.

import { readNumber, readText } from '../../storage/rows.ts';
import { type Evidence, usageDaysAstray } from '../stored/proofs.ts';
import { recordFaults } from '../stored/versions.ts';
import { migrations } from './schema/migrations.ts';
import type { Statements } from './statements.ts';

export function evidenceOf(statements: Statements): Evidence {
  return {
    keys: () => statements.proveKeys.iterate(),
    periods: () => statements.provePeriods.iterate(),
    usage: () => statements.proveUsage.iterate(),
    repeats: () => statements.proveRepeats.iterate(),
    findCharge: (chargeId) => statements.findCharge.get(chargeId),
    faults: () => faultsOf(statements),
  };
}

function* faultsOf(statements: Statements): Generator<string> {
  for (const row of statements.proveReferences.iterate()) {
    yield `a row of ${readText(row, 'child')} refers to a missing row of ${readText(row, 'parent')}`;
  }
  if (readNumber(statements.proveUsageDays.get(), 'astray') > 0) yield usageDaysAstray;
  yield* recordFaults(statements.proveVersions.all(), migrations);
  const trimming = statements.readTrimming.all();
  if (trimming.length !== 1 || trimming.some((row) => readNumber(row, 'is_under_way') !== 0)) {
    yield 'its table trimming was changed: anybody may be able to delete entries';
  }
}
