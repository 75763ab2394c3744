// What `domesday check` says of the records: people, sessions and requests.

import { existsSync, statSync } from 'node:fs';
import { examineRecords, recordsFile } from '../../records/open.ts';
import { RecordsUnavailable } from '../../records/records.ts';
import { type Finding, ok } from './finding.ts';

export async function recordsFindings(home: string, databaseUrl: string | undefined): Promise<Finding[]> {
  return [
    ...(databaseUrl === undefined ? rightsFindings(recordsFile(home)) : []),
    await standing(home, databaseUrl),
  ];
}

async function standing(home: string, databaseUrl: string | undefined): Promise<Finding> {
  try {
    const found = await examineRecords({ home, databaseUrl });
    if (found === 'absent') return ok('records', 'There are none yet. The first call or sign-in makes them.');
    return found === 'older'
      ? ok('records', 'They have the format of an older version. The next use updates them.')
      : ok('records', 'They are readable.');
  } catch (error) {
    if (!(error instanceof RecordsUnavailable)) throw error;
    // Its message is the finding and, behind the semicolon, what to do.
    const cut = error.message.lastIndexOf('; ');
    const advice = error.message.slice(cut + 2);
    return {
      level: 'problem',
      subject: 'records',
      finding: `${error.message.slice(0, cut)}.`,
      advice: advice.charAt(0).toUpperCase() + advice.slice(1),
    };
  }
}

function rightsFindings(file: string): Finding[] {
  if (process.platform === 'win32' || !existsSync(file) || (statSync(file).mode & 0o077) === 0) return [];
  const finding =
    'Other users of this machine can read them. They have people, and what customers asked for.';
  return [{ level: 'warning', subject: 'records', finding, advice: `chmod 600 ${file}` }];
}
