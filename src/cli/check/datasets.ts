// What `domesday check` says of the data: how old it is, what of it is a sample, and what is lacking of what the endpoints
// need together, field by field.

import {
  findMissingDatasets,
  findMissingHoldings,
  type MissingDataset,
  type MissingHolding,
  whatItFills,
} from '../../contract/missing-datasets.ts';
import { isDatasetName } from '../../datasets.ts';
import { endpoints } from '../../endpoints/index.ts';
import { type Derivation, findUnderived } from '../../ingest/derivation.ts';
import { ageDays, isOld } from '../../release/age.ts';
import type { KnownDataset } from '../../release/manifest.ts';
import { otherVersion, type Release, type Unreadable } from '../../release/reader.ts';
import { derivations } from '../../sources/derivations.ts';
import { changesKnown } from '../../tables/sales/changes.ts';
import { formatMonth } from '../../uk/calendar.ts';
import { counted } from '../command.ts';
import { howToLoad, publications } from '../publications.ts';
import { type Finding, ok } from './finding.ts';

function salesFindings(release: Release): readonly Finding[] {
  const missing = changesKnown(release)?.missing ?? [];
  if (missing.length === 0) return [];
  const months = missing.map(formatMonth).join(', ');
  return [
    {
      level: 'warning',
      subject: 'price-paid',
      finding: `The changes of ${months} are not loaded, but later ones are. Sales and corrections of that time are missing.`,
      advice:
        'Load that file of changes, or the complete file (pp-complete.csv) with `domesday update price-paid-complete`',
    },
  ];
}

export function datasetFindings(release: Release, atMs: number): Finding[] {
  const sampled = release.datasets.filter(({ extent }) => extent === 'sample').map(({ name }) => name);
  const parts = `${counted(release.datasets.length, 'dataset')}, ${sampled.length} of them the bundled sample`;
  const findings = [ok('release', `${release.id}: ${parts}; every part is sound.`)];
  if (sampled.length > 0) {
    const whole =
      release.manifest.kind === 'sample'
        ? 'The service uses the bundled sample'
        : 'Some datasets are a sample';
    findings.push({
      level: 'warning',
      subject: 'release',
      finding: `${whole}: ${sampled.join(', ')} cover only a few places.`,
      advice:
        'Load the whole country with `domesday update`, or your own files with `domesday ingest PATH…`. The guide is docs/national-data.md.',
    });
  }
  for (const dataset of release.datasets) findings.push(loadedFinding(dataset, atMs));
  return [
    ...findings,
    ...findMissingHoldings(endpoints, release).map((missing) => holdingFinding(missing, release)),
    ...salesFindings(release),
    ...findUnderived(derivations, release).map(underivedFinding),
    ...findMissingDatasets(endpoints, release, publications).map(missingFinding),
    ...release.unreadable.filter(({ dataset }) => !isDatasetName(dataset.name)).map(unknownFinding),
  ];
}

function loadedFinding(dataset: KnownDataset, atMs: number): Finding {
  const { name, rows, asOf, extent, coverage } = dataset;
  const covered = Object.entries(coverage).map(([nation, what]) => `${nation}: ${what}`);
  const known = extent === 'complete' ? '' : ` (${extent})`;
  const facts = `${counted(rows, 'row')} as of ${asOf}${known}`;
  const tell = (age: string) => `${facts}${age}. ${covered.join('; ')}.`;
  const newer = howToLoad({ dataset: name, what: 'a newer edition' });
  if (rows === 0) {
    const again = howToLoad({ dataset: name, what: 'its files again' });
    const advice =
      again ?? 'Load the files that come with the program again with `domesday ingest data/facts`';
    return { level: 'problem', subject: name, finding: 'It has no rows.', advice };
  }
  // What comes with the program alone is as new as the program.
  if (newer === undefined) return ok(name, tell(', which came with the program'));
  const old = isOld(dataset, atMs);
  const told = tell(old ? `, ${counted(ageDays(dataset, atMs), 'day')} old` : '');
  if (extent === 'sample') return sampleFinding(dataset, told);
  return old
    ? { level: 'warning', subject: name, finding: told, advice: newer, data: 'old' }
    : ok(name, told);
}

function sampleFinding({ name }: KnownDataset, told: string): Finding {
  const { fills, fields } = whatItFills(endpoints, name);
  return {
    level: 'warning',
    subject: name,
    finding: `${told} Elsewhere answers lack: ${fills.join('; ')}.`,
    ...advised(howToLoad({ dataset: name })),
    fields,
    data: 'sample',
  };
}

const advised = (advice: string | undefined) => (advice === undefined ? {} : { advice });

function holdingFinding(
  { name, what, publication, file, fills, fields }: MissingHolding,
  release: Release,
): Finding {
  return {
    level: 'warning',
    subject: name,
    finding: `The loaded ${release.findDataset(name)?.source} has no ${what}. Answers lack: ${fills.join('; ')}.`,
    ...advised(howToLoad({ dataset: name, publication, file })),
    fields,
    data: 'not loaded',
  };
}

const unknownFinding = ({ dataset: { name, rows, asOf }, laidOutBy }: Unreadable): Finding => ({
  level: 'warning',
  subject: name,
  finding: `${counted(rows, 'row')} as of ${asOf} of a dataset that only ${otherVersion[laidOutBy]} knows. The release keeps it, but does not serve it.`,
  advice: 'Use that version to serve it.',
});

const underivedFinding = ({ part, from }: Derivation): Finding => ({
  level: 'warning',
  subject: part,
  finding: `Another version of this program made the release, which lacks what this version derives from ${from.join(', ')}.`,
  advice:
    'Load any official file with `domesday ingest PATH…`, even one that is already loaded. That adds the missing part.',
});

function missingFinding({ name, needed, fills, fields, laidOutBy }: MissingDataset): Finding {
  const without = fills.join('; ');
  const why =
    laidOutBy === undefined
      ? 'It is not loaded'
      : `It has the layout of ${otherVersion[laidOutBy]}, which this version cannot read`;
  const what = laidOutBy === undefined ? {} : { what: 'the complete file again' };
  const load =
    howToLoad({ dataset: name, ...what }) ??
    'Load the files that come with the program with `domesday ingest data/facts`';
  return {
    level: needed === 'required' || laidOutBy !== undefined ? 'problem' : 'warning',
    subject: name,
    finding:
      needed === 'required'
        ? `${why}. Callers get 503 for: ${without}.`
        : `${why}. Answers lack: ${without}.`,
    advice: laidOutBy === 'later' ? `Use that version, or ${load.replace(/^L/, 'l')}` : load,
    fields,
    ...(laidOutBy === undefined && load.includes('`domesday update') ? { data: 'not loaded' as const } : {}),
  };
}
