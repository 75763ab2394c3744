// What endpoints would read and a release does not have, or has as this program cannot read it: whether they need it, which
// fields it fills, and where its files are. And what was there before a load, and is not any more.

import type { DatasetName } from '../datasets.ts';
import type { Release, Unreadable } from '../release/reader.ts';
import type { Endpoint } from './endpoint.ts';
import { datasetsReadBy, describeNeed, type Holding, type Need } from './needs.ts';

/** A publication that fills a dataset, for an operator who lacks it. */
export type Publication = {
  readonly dataset: DatasetName;
  readonly title: string;
  readonly source: string;
  /** Where its files are. */
  readonly homepage: string;
};

/** Fields of one endpoint that a dataset fills. */
export type Filled = Pick<Need, 'fields' | 'where' | 'also'> & { readonly endpoint: string };

type Fills = {
  /** "all of /crime/by-postcode", "trafficLevel in transport of /area/statistics" */
  readonly fills: readonly string[];
  readonly fields: readonly Filled[];
};

export type MissingDataset = Fills & {
  readonly name: DatasetName;
  /** Null where no publication fills it. */
  readonly title: string | null;
  /** `required`: an endpoint answers 503 without it. `optional`: what it fills is null, or refused by a code of its own. */
  readonly needed: 'required' | 'optional';
  readonly files: readonly { readonly source: string; readonly homepage: string }[];
  /** Where it is there, but laid out by another version of the program. */
  readonly laidOutBy?: Unreadable['laidOutBy'];
};

/** What a dataset that is loaded does not hold, because another publication of it would have to be loaded. */
export type MissingHolding = Fills &
  Pick<Holding, 'what' | 'publication' | 'file'> & { readonly name: DatasetName };

export function findMissingDatasets(
  endpoints: readonly Endpoint[],
  release: Release,
  publications: readonly Publication[],
): readonly MissingDataset[] {
  const names = new Set(endpoints.flatMap(datasetsReadBy));
  return [...names]
    .filter((name) => release.findDataset(name) === undefined)
    .map((name) => {
      const sources = publications.filter(({ dataset }) => dataset === name);
      const unreadable = release.findUnreadable(name);
      return {
        name,
        title: sources[0]?.title ?? null,
        needed: endpoints.some(({ datasets }) => datasets.includes(name)) ? 'required' : 'optional',
        ...whatItFills(endpoints, name),
        files: sources.map(({ source, homepage }) => ({ source, homepage })),
        ...(unreadable === undefined ? {} : { laidOutBy: unreadable.laidOutBy }),
      };
    });
}

/** Of datasets that are loaded. */
export const findMissingHoldings = (
  endpoints: readonly Endpoint[],
  release: Release,
): readonly MissingHolding[] =>
  holdingsNotIn(endpoints, release).map(([holding, name]) => describeMissing(endpoints, holding, name));

function holdingsNotIn(
  endpoints: readonly Endpoint[],
  release: Release,
): readonly (readonly [Holding, DatasetName])[] {
  const wanted = endpoints.flatMap(({ needs }) =>
    needs.flatMap(({ dataset, holding }) => (holding === undefined ? [] : [[holding, dataset] as const])),
  );
  return [...new Map(wanted)].filter(
    ([holding, name]) => release.findDataset(name) !== undefined && !holding.isIn(release),
  );
}

function describeMissing(
  endpoints: readonly Endpoint[],
  holding: Holding,
  name: DatasetName,
): MissingHolding {
  const { isIn: _, ...described } = holding;
  return { name, ...described, ...whatItFills(endpoints, name, holding) };
}

/** What a dataset gives to all endpoints together; with a holding, what that alone gives. */
export function whatItFills(endpoints: readonly Endpoint[], name: DatasetName, holding?: Holding): Fills {
  const filled = endpoints.flatMap((endpoint): readonly { told: string; filled: Filled }[] => {
    const { path, datasets, needs } = endpoint;
    if (holding === undefined && datasets.includes(name)) {
      return [{ told: `all of ${path}`, filled: { endpoint: path, fields: 'every answer' } }];
    }
    return needs
      .filter((need) => need.dataset === name && need.holding === holding)
      .map((need) => {
        const { fields, where, also } = need;
        const described = describeNeed(need, endpoint.answer.schema);
        return {
          told: `${described.what} of ${path}${described.where}`,
          filled: {
            endpoint: path,
            fields,
            ...(where === undefined ? {} : { where }),
            ...(also === undefined ? {} : { also }),
          },
        };
      });
  });
  return { fills: filled.map(({ told }) => told), fields: filled.map((entry) => entry.filled) };
}

/** A dataset that went, or what it held before another publication of it was loaded. */
export type Lost = Fills & { readonly name: DatasetName } & Partial<Omit<Holding, 'isIn'>>;

/** What a release had and the one made from it has not, with the fields that are null by it. */
export function findLost(endpoints: readonly Endpoint[], before: Release, made: Release): readonly Lost[] {
  const gone = findMissingDatasets(endpoints, made, [])
    .filter(({ name }) => before.findDataset(name) !== undefined)
    .map(({ name, fills, fields }) => ({ name, fills, fields }));
  // The release before is asked only for what is lacking now: it may be large.
  const lacking = holdingsNotIn(endpoints, made).filter(
    ([holding, name]) => before.findDataset(name) !== undefined && holding.isIn(before),
  );
  return [...gone, ...lacking.map(([holding, name]) => describeMissing(endpoints, holding, name))];
}
