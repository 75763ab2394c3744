// Which publications an update is about: those that were named, or a set of them, as far as their terms were accepted.

import { type DatasetName, isDatasetName } from '../datasets.ts';
import type { Listed, Terms } from '../ingest/publication.ts';
import type { OpenSource } from '../ingest/source.ts';
import { isAccepted } from './terms.ts';

export type UpdateSet = 'essential' | 'all';

type Selection = {
  readonly chosen: readonly Listed[];
  /** Left out until their terms are accepted. */
  readonly withheld: readonly (Listed & { readonly terms: Terms })[];
};

/** Names of datasets and of publications; without any, the set counts. `accepted` has names of terms, or "all". */
export function selectPublications(
  publications: readonly Listed[],
  { names, set }: { readonly names: readonly string[]; readonly set: UpdateSet },
  accepted: ReadonlySet<string>,
): Selection {
  const wanted = publications.filter((publication) =>
    names.length === 0 ? isInSet(publication, set) : names.some((name) => isNamed(publication, name)),
  );
  const isWithheld = (publication: Listed): publication is Listed & { readonly terms: Terms } =>
    publication.terms?.leavesOut === 'the publication' && !isAccepted(publication.terms, accepted);
  return { chosen: wanted.filter((each) => !isWithheld(each)), withheld: wanted.filter(isWithheld) };
}

/** A dataset means what fills it best; another publication of it is taken where it is named itself. */
const isNamed = ({ name, dataset, set }: Listed, asked: string): boolean =>
  name === asked || (dataset === asked && set !== 'on request');

const isInSet = (publication: Listed, set: UpdateSet): boolean =>
  publication.set === 'essential' || (set === 'all' && publication.set === 'all');

/** The first of the names that is none. */
export const findUnknown = (publications: readonly Listed[], names: readonly string[]): string | undefined =>
  names.find((asked) => !publications.some((publication) => isNamed(publication, asked)));

/** Datasets that an update can fill, for a message. */
export const fillable = (publications: readonly Listed[]): readonly DatasetName[] =>
  [...new Set(publications.map(({ dataset }) => dataset))].filter(isDatasetName);

/** All there are. `rhythm` has days by name of the publication or dataset, instead of its own. */
export function listPublications(
  opened: readonly OpenSource[],
  rhythm: ReadonlyMap<string, number>,
): readonly Listed[] {
  return opened.flatMap(({ dataset, publications = [] }) =>
    publications.map((publication): Listed => {
      const askEveryDays = rhythm.get(publication.name) ?? rhythm.get(dataset);
      return askEveryDays === undefined
        ? { ...publication, dataset }
        : { ...publication, dataset, rhythm: { ...publication.rhythm, askEveryDays } };
    }),
  );
}
