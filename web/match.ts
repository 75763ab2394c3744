// Whether a path is of a pattern, and what stands in its places.

/** Parts of a path by the names in the pattern; undefined where it is another path. `/account/:accountId/keys`. */
export function match<Pattern extends string>(pattern: Pattern, path: string): PartsOf<Pattern> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/(?<=.)\/$/, '').split('/');
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [at, word] of wanted.entries()) {
    const part = decoded(given[at] ?? '');
    if (word.startsWith(':') && part !== '') parts[word.slice(1)] = part;
    else if (word !== part) return undefined;
  }
  return isWhole<Pattern>(parts, pattern) ? parts : undefined;
}

type PartsOf<Pattern extends string> = {
  readonly [Name in NamesIn<Pattern>]: string;
};
type NamesIn<Pattern extends string> = Pattern extends `${infer Head}/${infer Rest}`
  ? NamesIn<Head> | NamesIn<Rest>
  : Pattern extends `:${infer Name}`
    ? Name
    : never;

const isWhole = <Pattern extends string>(
  parts: Readonly<Record<string, string>>,
  pattern: Pattern,
): parts is PartsOf<Pattern> => (pattern.match(/:\w+/g) ?? []).every((name) => name.slice(1) in parts);

/** As it stands where it is no valid escape. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (fault) {
    if (fault instanceof URIError) return part;
    throw fault;
  }
}
