// What `domesday ingest --dry-run` prints: what would take the place of what, and what would become of each file.

import type { PlanReport } from '../../ingest/plan.ts';
import { formatCount } from '../../ingest/tally.ts';
import { visible } from '../../visible.ts';
import type { Io } from '../command.ts';

/** Of an archive of hundreds. With --json, all are there. */
const filesNamed = 20;

export function printPlan({ files, datasets, refused }: PlanReport, io: Io): void {
  for (const dataset of datasets) printDataset(dataset, io);
  for (const [fate, given] of Map.groupBy(files, (file) => file.fate)) {
    // Many files share a reason, which is told once, below.
    if (fate === 'refused') continue;
    for (const { name, layout, day, because } of given.slice(0, filesNamed)) {
      const what = [
        ...(layout === undefined ? [] : [` (${layout})`]),
        ...(day === undefined ? [] : [`, of ${day}`]),
      ];
      io.out(
        `  ${fate}: ${visible(name)}${what.join('')}${because === undefined ? '' : `: ${visible(because)}`}\n`,
      );
    }
    if (given.length > filesNamed) io.out(`  ${fate}: ${formatCount(given.length - filesNamed)} more\n`);
  }
  for (const { files: names, reason } of refused) {
    const more = names.length > 1 ? ` and ${formatCount(names.length - 1)} more` : '';
    io.out(`  refused: ${visible(names[0] ?? '')}${more}\n`);
    for (const line of reason.split('\n')) io.out(`    ${line}\n`);
  }
  io.out('Nothing was changed.\n');
}

function printDataset({ title, fate, given, now, lost }: PlanReport['datasets'][number], io: Io): void {
  const loaded =
    now === null
      ? 'nothing is loaded'
      : `loaded is ${now.source}, ${now.edition}, as of ${now.asOf}, ${formatCount(now.rows)} rows (${now.extent})`;
  const does = {
    read: `${given} would be read`,
    unchanged: `nothing would change, ${given} is loaded from these files`,
    refused: `${given} would be refused`,
  };
  io.out(`${title}: ${does[fate]}; ${loaded}\n`);
  for (const item of lost) io.out(`  would be lost, as --replace says: ${item}\n`);
}
