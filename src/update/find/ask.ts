// What a finder may ask of a publisher, and how it reads the answer: nothing in it is believed before it was looked at.

/** Each rejects where the publisher does not answer as it should. */
export type Ask = {
  readonly json: (address: string) => Promise<unknown>;
  /** With the address after redirects, as links are relative to it. */
  readonly page: (address: string) => Promise<{ readonly text: string; readonly address: string }>;
  readonly isThere: (address: string) => Promise<boolean>;
};

/** The publisher answered, but the file is not where it used to be. The message begins small. */
export class NotFound extends Error {
  override name = 'NotFound';
}

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

export function textOf(value: unknown, name: string): string | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : undefined;
}

export function countOf(value: unknown, name: string): number | undefined {
  const field = fieldOf(value, name);
  return typeof field === 'number' && Number.isSafeInteger(field) && field >= 0 ? field : undefined;
}

export function listOf(value: unknown, ...names: readonly string[]): readonly unknown[] | undefined {
  const field = names.reduce(fieldOf, value);
  return Array.isArray(field) ? field : undefined;
}

/** What the file is called on disk: the last step of its path, without what no file system takes. */
export function fileNameOf(address: string): string {
  const steps = new URL(address).pathname.split('/').filter((step) => step !== '');
  const name = (steps.at(-1) ?? '').replaceAll(/%[0-9a-f]{2}|[^\w.() -]/gi, '_');
  return /^\.*$/.test(name) ? 'file' : name;
}

/** Of what a pattern matches: the one that comes last in the order of the group `newest`, or else the first. */
export function newestOf<T>(
  entries: readonly T[],
  pattern: RegExp,
  text: (entry: T) => string,
): T | undefined {
  const matching = entries.flatMap((entry) => {
    const match = pattern.exec(text(entry));
    return match === null ? [] : [{ entry, order: match.groups?.newest ?? '' }];
  });
  return matching.reduce<(typeof matching)[number] | undefined>(
    (best, each) => (best === undefined || each.order > best.order ? each : best),
    undefined,
  )?.entry;
}
