// Which field of which answer needs which dataset. Each endpoint says it of its own fields, beside them, and everything that
// tells an operator or a caller what is lacking reads it there; test/promises/needs.slow.test.ts takes every dataset away in turn
// and sees exactly these fields go.

import type { DatasetName } from '../datasets.ts';
import type { Release } from '../release/reader.ts';
import { isSchema, type JsonSchema } from './shape.ts';

/** What not every publication of a dataset has. */
export type Holding = {
  /** "statistical areas (LSOA)" */
  readonly what: string;
  /** The publication to load for it, as the list of sources calls it. */
  readonly publication: string;
  /** Which file of it, where it has several. */
  readonly file?: string;
  /** Asked of a release that has the dataset. */
  readonly isIn: (release: Release) => boolean;
};

/** What an answer lacks without a dataset, or without a part of one, that it can do without. */
export type Need<Field extends string = string> = {
  readonly dataset: DatasetName;
  /** Where any publication of the dataset would not do. */
  readonly holding?: Holding;
  /** Members that are null, empty, absent or say "Unknown" without it. `every answer` where the call is refused by a code
   *  of its own. A member of a member has a dot between. */
  readonly fields: readonly Field[] | 'every answer';
  /** Given where a place may have the fields all the same: "in Scotland". */
  readonly where?: string;
  /** What it gives beside fields. */
  readonly also?: string;
};

/** Needs of the members of an object that is itself a member. */
export const within = (member: string, needs: readonly Need[]): readonly Need[] =>
  needs.map(({ fields, ...need }) => ({
    ...need,
    fields: fields === 'every answer' ? [member] : fields.map((field) => `${member}.${field}`),
  }));

/** Every dataset that an endpoint reads, those that it cannot do without first. */
export const datasetsReadBy = ({
  datasets,
  needs,
}: {
  readonly datasets: readonly DatasetName[];
  readonly needs: readonly Need[];
}): readonly DatasetName[] => [...new Set([...datasets, ...needs.map(({ dataset }) => dataset)])];

/** "population, households in demographics" and ", in Scotland"; "crime" where that is all of an object but for its basis.
 *  `answer` is the schema of the endpoint whose need it is. */
export function describeNeed({ fields, where, also }: Need, answer: JsonSchema) {
  const told = fields === 'every answer' ? [fields] : describeFields(fields, answer);
  return {
    what: [...told, ...(also === undefined ? [] : [also])].join(' and '),
    where: where === undefined ? '' : `, ${where}`,
  };
}

function describeFields(fields: readonly string[], answer: JsonSchema): readonly string[] {
  const groups = Map.groupBy(fields, (field) => field.split('.').slice(0, -1).join('.'));
  return [...groups].map(([parent, members]) => {
    if (parent === '') return members.join(', ');
    const names = members.map((field) => field.slice(parent.length + 1));
    const all = Object.keys(propertiesAt(answer, parent.split('.'))).filter((name) => name !== 'basis');
    return all.every((name) => names.includes(name)) ? parent : `${names.join(', ')} in ${parent}`;
  });
}

/** Of an object within a schema; of the items, where it is a list. */
function propertiesAt(schema: unknown, [first, ...rest]: readonly string[]): JsonSchema {
  if (!isSchema(schema)) return {};
  if (isSchema(schema.items)) return propertiesAt(schema.items, first === undefined ? [] : [first, ...rest]);
  const own = isSchema(schema.properties) ? schema.properties : {};
  return first === undefined ? own : propertiesAt(own[first], rest);
}
