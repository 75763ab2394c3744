// What `domesday ingest --dry-run` prints: what would take the place of what, and what would become of each file.

import type { PlanReport } from '../../ingest/plan.ts';
import { formatCount } from '../../ingest/tally.ts';
import { visible } from '../../visible.ts';
import type { Io } from '../command.ts';

/** Of an archive of hundreds. With --json, all are there. */
export const filesNamed = 5;

type PlannedFile = PlanReport['files'][number];

export function printPlan({ files, datasets, refused }: PlanReport, io: Io): void {
  const named = (wanted: readonly PlannedFile[]) => {
    for (const { name, fate, layout, day, because } of wanted.slice(0, filesNamed)) {
      const form = layout === undefined ? '' : ` (${layout})`;
      const dated = day === undefined ? '' : `, of ${day}`;
      const reason = because === undefined ? '' : `: ${visible(because)}`;
      io.out(`  ${fate}: ${visible(name)}${form}${dated}${reason}\n`);
    }
    const more = wanted.length - filesNamed;
    if (more > 0) io.out(`  ${wanted[0]?.fate}: ${formatCount(more)} more\n`);
  };
  for (const dataset of datasets) {
    printDataset(dataset, io);
    named(files.filter(({ source, fate }) => source === dataset.source && fate !== 'refused'));
    for (const { reason } of refused.filter(({ source }) => source === dataset.source))
      for (const line of reason.split('\n')) io.out(io.asTyped(`  ${line}\n`));
  }
  for (const fate of ['passed over', 'skipped'] as const) {
    const given = files.filter((file) => file.fate === fate);
    if (given.length > 0) io.out(`${fate === 'skipped' ? 'Not data of a known kind' : 'Not read'}:\n`);
    named(given);
  }
  for (const { reason } of refused.filter(({ source }) => source === undefined))
    io.out(io.asTyped(`${reason}\n`));
  io.out('Nothing was changed.\n');
}

function printDataset({ title, fate, given, now, lost }: PlanReport['datasets'][number], io: Io): void {
  const loaded =
    now === null
      ? 'nothing is loaded'
      : `now loaded: ${now.source}, ${now.edition}, as of ${now.asOf}, ${formatCount(now.rows)} rows (${now.extent})`;
  const does = {
    read: `${given} would be read`,
    unchanged: `nothing would change, because ${given} is already loaded from these files`,
    refused: `${given} would be refused`,
  };
  io.out(`${title}: ${does[fate]}; ${loaded}\n`);
  for (const item of lost) io.out(`  would be lost, because of --replace: ${item}\n`);
}
