// What `domesday check` says about the journals of the ledger.

import type { JournalReport } from '../../ledger/told/journals.ts';
import { counted, formatCount, formatTime } from '../command.ts';
import type { Finding } from './finding.ts';

/** A clock that is wrong would be wrong about all of them. */
const listedMost = 20;

const restore = 'Stop the service and restore the ledger from a backup.';

export function journalFindings(report: JournalReport): Finding[] {
  const { journals, entries, breaks, different, contradictions, astray, stepsBack } = report;
  const whole: Finding = {
    level: 'ok',
    subject: 'journals',
    finding: `${counted(journals, 'journal')}, one for each account, with ${counted(entries, 'entry', 'entries')}: all correct.`,
  };
  return [
    ...(breaks.length === 0 ? [whole] : []),
    ...breaks.map(
      ({ accountId, seq, problem }): Finding => ({
        level: 'problem',
        subject: accountId,
        finding: `Its journal breaks at entry ${seq}: ${problem}. Somebody changed the file, or it is damaged.`,
        advice: restore,
      }),
    ),
    ...different.map(
      ({ accountId, balance, journalSum, lasting, journalLastingSum }): Finding => ({
        level: 'problem',
        subject: accountId,
        finding:
          balance === journalSum
            ? `${formatCount(lasting)} credits of its balance are lasting, but its journal says ${formatCount(journalLastingSum)}.`
            : `The balance is ${formatCount(balance)}, but its journal adds up to ${formatCount(journalSum)}.`,
        advice: restore,
      }),
    ),
    ...contradictionFindings(contradictions),
    ...astrayFindings(astray),
    ...stepsBack.slice(0, listedMost).map(
      ({ accountId, seq, fromMs, toMs }): Finding => ({
        level: 'ok',
        subject: accountId,
        finding: `At entry ${seq} the time in its journal goes back from ${formatTime(fromMs, '')} to ${formatTime(toMs, '')}: the clock was wrong before or after. This does not affect credits.`,
      }),
    ),
  ];
}

/** One forged key or a lost table can contradict everything. */
function contradictionFindings(contradictions: JournalReport['contradictions']): Finding[] {
  const more = contradictions.length - listedMost;
  return [
    ...contradictions.slice(0, listedMost).map(
      ({ subject, problem }): Finding => ({
        level: 'problem',
        subject,
        finding: `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. Somebody changed the file, or it is damaged.`,
        advice: restore,
      }),
    ),
    ...(more > 0
      ? [
          {
            level: 'problem',
            subject: 'ledger',
            finding: `${counted(more, 'other row')} contradict the journals too.`,
            advice: restore,
          } as const,
        ]
      : []),
  ];
}

function astrayFindings(astray: JournalReport['astray']): Finding[] {
  const advice =
    'Check the clock of this machine. If it is right, do nothing: the next call corrects the date.';
  const more = astray.length - listedMost;
  return [
    ...astray.slice(0, listedMost).map(
      ({ accountId, refreshAtMs }): Finding => ({
        level: 'warning',
        subject: accountId,
        finding: `Its next refresh is at ${formatTime(refreshAtMs, '')}, more than a month ahead: the clock was wrong then, or it is wrong now.`,
        advice,
      }),
    ),
    ...(more > 0
      ? [
          {
            level: 'warning',
            subject: 'ledger',
            finding: `The same is true of ${counted(more, 'other account')}.`,
            advice,
          } as const,
        ]
      : []),
  ];
}
