// An answer of any endpoint as lines for a person: members of members have one line each, with their names in plain words.

type Line = { readonly label: string; readonly value: string };

/** What to print for a member that is null. */
type NullText = (member: string) => string;

type Members = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without the members of a hidden name, however deep they are. */
export const describeAnswer = (
  answer: unknown,
  hidden: readonly string[],
  nullText: NullText,
): readonly Line[] => (isObject(answer) ? linesOf(answer, '', hidden, nullText) : []);

const linesOf = (
  answer: Members,
  within: string,
  hidden: readonly string[],
  nullText: NullText,
): readonly Line[] =>
  Object.entries(answer)
    .filter(([name]) => !hidden.includes(name))
    .flatMap(([name, value]) => {
      const label = `${within}${inWords(name)}`;
      if (value === null) return [{ label, value: nullText(name) }];
      if (Array.isArray(value) && value.some(isObject)) {
        return value.map((item, at) => ({ label: at === 0 ? label : '', value: inOneLine(item) }));
      }
      return isObject(value) && !fitsOneLine(value)
        ? linesOf(value, `${label}: `, hidden, nullText)
        : [{ label, value: inOneLine(value) }];
    });

/** An area, or nothing but figures, as the months of a year are. */
const fitsOneLine = (value: Members) =>
  isArea(value) || Object.values(value).every((member) => typeof member === 'number');

const isArea = (value: Members) => Object.keys(value).sort().join() === 'code,name';

function inOneLine(value: unknown): string {
  if (value === null) return 'unknown';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inOneLine).join(', ');
  if (!isObject(value)) return String(value);
  if (isArea(value)) return describeArea(value);
  const members = Object.entries(value).map(([name, member]) => `${inWords(name)} ${inOneLine(member)}`);
  return members.length === 0 ? 'none' : members.join(', ');
}

function describeArea({ name, code }: Members): string {
  if (name === null) return `${code}, name unknown`;
  return code === null ? String(name) : `${name} (${code})`;
}

/** `changeVsPreviousYear` → `change vs previous year`; `band_a` → `band a`. Months and the like stay. */
const inWords = (name: string) =>
  name
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
