// What `domesday check` says of the updates: how the last one ended, when the service runs the next, which publications fail and since when, and which of
// them have not changed for longer than their rhythm says.

import type { UpdateTime } from '../../config/values.ts';
import { type Settings, settings } from '../../config.ts';
import type { Listed } from '../../ingest/publication.ts';
import { dayMs } from '../../time.ts';
import { type PublicationState, readUpdateState, type UpdateRun } from '../../update/state.ts';
import { nextRunMs } from '../serve/updates.ts';
import { type Finding, ok } from './finding.ts';

/** Nothing where no update was ever run, and none is due. */
export function updateFindings(
  { home, update }: Pick<Settings, 'home' | 'update'>,
  listed: readonly Listed[],
  atMs: number,
): Finding[] {
  const { publications, lastRun } = readUpdateState(home);
  return [
    ...(lastRun === undefined ? [] : [runFinding(lastRun)]),
    ...(update === undefined ? [] : [nextFinding(update, home, atMs)]),
    ...listed.flatMap((publication) => {
      const state = publications[publication.name];
      return state === undefined ? [] : publicationFindings(publication, state, atMs);
    }),
  ];
}

const dayOf = (instant: string) => instant.slice(0, 10);

const nextFinding = (time: UpdateTime, home: string, atMs: number): Finding =>
  ok(
    'updates',
    `The service runs the next update by itself (${settings.update.env}) from ${new Date(nextRunMs(time, home, atMs)).toISOString()}.`,
  );

function runFinding({ endedAt, outcome, kept }: UpdateRun): Finding {
  const last = `The last update, on ${dayOf(endedAt)},`;
  if (outcome === 'fresh') return ok('updates', `${last} found everything up to date, or loaded it.`);
  const finding =
    outcome === 'failed'
      ? `${last} failed. All data stayed as it was.`
      : `${last} left ${kept.length} ${kept.length === 1 ? 'publication as it was' : 'publications as they were'}.`;
  return { level: 'warning', subject: 'updates', finding, advice: '`domesday update`' };
}

function publicationFindings(
  { name, dataset, page, rhythm }: Listed,
  { failing, files = [], changedAt }: PublicationState,
  atMs: number,
): Finding[] {
  const subject = dataset;
  if (failing !== undefined) {
    const finding = `Updates of ${name} have failed since ${dayOf(failing.since)}, so its old data stays: ${failing.why}`;
    const advice = `Run \`domesday update ${name}\`. If its file has moved (${page}), run \`domesday update ${name} --address ${name}=URL\`, or load it with \`domesday ingest PATH…\``;
    return [{ level: 'warning', subject, finding, advice }];
  }
  const newestMs = Math.max(
    ...files.map(({ lastModified }) => Date.parse(lastModified ?? changedAt ?? '')).filter(Number.isFinite),
  );
  const { lateAfterDays, text } = rhythm;
  if (lateAfterDays === null || !Number.isFinite(newestMs) || atMs - newestMs <= lateAfterDays * dayMs)
    return [];
  const finding = `${name} is late: the newest edition is of ${dayOf(new Date(newestMs).toISOString())}, and there should be one ${text}.`;
  return [
    { level: 'warning', subject, finding, advice: `Run \`domesday update ${name}\`, or look at ${page}` },
  ];
}
