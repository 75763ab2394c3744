// Several editions of one publication in one run: which of them is read. That of the whole before that of a part, the newer
// before the older, the larger before the smaller; never the one that was named first.

import { formatDay } from '../uk/calendar.ts';
import { refuseOlder } from './dating.ts';
import type { Ground, Judgement, RecognisedFile } from './source.ts';
import { formatCount } from './tally.ts';

type Edition = {
  readonly files: readonly RecognisedFile[];
  /** Days since 1970-01-01; undefined where its head does not tell. */
  readonly day: number | undefined;
};

/** Whole editions of one publication are of about one size. */
const leastOfWhole = 0.5;
/** Small workbooks differ by as much in how they are packed. */
const leastLackingBytes = 100_000;

const weightOf = ({ files }: Edition): number => files.reduce((sum, { file }) => sum + file.weight, 0);

const nameOf = ({ files }: Edition) => files.map(({ file }) => file.name).sort()[0] ?? '';

/** Where there is one, it is read. */
export function chooseEdition(editions: readonly Edition[]): Judgement {
  const heaviest = Math.max(...editions.map(weightOf));
  const isPart = (edition: Edition) =>
    weightOf(edition) < Math.min(leastOfWhole * heaviest, heaviest - leastLackingBytes);
  const [best, ...others] = editions.toSorted(
    (a, b) =>
      Number(isPart(a)) - Number(isPart(b)) ||
      (b.day ?? 0) - (a.day ?? 0) ||
      weightOf(b) - weightOf(a) ||
      (nameOf(a) < nameOf(b) ? -1 : 1),
  );
  if (best === undefined) return { read: [], passedOver: [] };
  return {
    read: best.files,
    passedOver: others.flatMap((edition) => {
      const because = isPart(edition)
        ? `a part only: ${nameOf(best)} has ${times(weightOf(best) / weightOf(edition))} as much`
        : compare(edition, best);
      return edition.files.map(({ file }) => ({ name: file.name, because }));
    }),
  };
}

const times = (ratio: number) => (ratio < 3 ? 'twice' : `${formatCount(Math.floor(ratio))} times`);

function compare(edition: Edition, best: Edition): string {
  const other = nameOf(best);
  if (best.day !== undefined && best.day !== edition.day)
    return `${other} is another edition of it, of ${formatDay(best.day)}${edition.day === undefined ? '' : `, and newer than this of ${formatDay(edition.day)}`}`;
  return weightOf(edition) < weightOf(best)
    ? `${other} is another edition of it, and larger`
    : `${other} is another edition of it, of the same size`;
}

/** Where each file is a whole edition. */
export const chooseFile = (files: readonly RecognisedFile[], { dating }: Ground): Judgement =>
  chooseEdition(files.map((given) => ({ files: [given], day: dating.glance(given.file) })));

/** As `chooseFile`, where nothing but the head tells the day. Throws IngestRefused where it tells none, or a newer edition is
 *  loaded. */
export function chooseDatedFile(files: readonly RecognisedFile[], ground: Ground): Judgement {
  const judged = chooseFile(files, ground);
  for (const { file } of judged.read) refuseOlder(ground.dating.dayOf(file), ground);
  return judged;
}

export const together = (...judgements: readonly Judgement[]): Judgement => ({
  read: judgements.flatMap(({ read }) => read),
  passedOver: judgements.flatMap(({ passedOver }) => passedOver),
});
