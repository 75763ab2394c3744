// Numbers, dates and words as British readers write them. Days of the ledger are UTC; moments are shown by the reader's clock.

type Format<Value> = (value: Value) => string;

/** Made when it is first used: a browser that has just begun takes milliseconds for each. */
function lazily<Value>(make: () => { readonly format: Format<Value> }): Format<Value> {
  let made: { readonly format: Format<Value> } | undefined;
  return (value) => {
    made ??= make();
    return made.format(value);
  };
}

const numbers = (options: Intl.NumberFormatOptions = {}): Format<number> =>
  lazily(() => new Intl.NumberFormat('en-GB', options));
const dates = (options: Intl.DateTimeFormatOptions): Format<number> =>
  lazily(() => new Intl.DateTimeFormat('en-GB', options));

const whole = numbers();
const oneDecimal = numbers({ maximumFractionDigits: 1 });
/** Below each other, so that each has as many digits. */
const decimalsOf = (count: number) => ({ minimumFractionDigits: count, maximumFractionDigits: count });
const fixed = { 1: numbers(decimalsOf(1)), 2: numbers(decimalsOf(2)) };
const share = numbers({ style: 'percent', ...decimalsOf(1) });
const compact = numbers({ notation: 'compact', maximumFractionDigits: 1 });
const inPounds = { style: 'currency', currency: 'GBP' } as const;
const pounds = numbers({ ...inPounds, maximumFractionDigits: 0 });
const poundsAndPence = numbers(inPounds);
const shortOfPounds = numbers({ ...inPounds, notation: 'compact', maximumSignificantDigits: 3 });
const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const date = dates(day);
const dateOfUtc = dates({ ...day, timeZone: 'UTC' });
const month = dates({ month: 'long', year: 'numeric', timeZone: 'UTC' });
const moment = dates({ ...day, hour: '2-digit', minute: '2-digit' });
const time = dates({ hour: '2-digit', minute: '2-digit' });
const clock = dates({ hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The first of each kind takes a browser tens of milliseconds, which it has while a service answers. */
export function prepareFormats(): void {
  whole(0);
  dateOfUtc(0);
}

export const numberText = (value: number): string => whole(value);
export const shortNumber = (value: number): string => compact(value);
/** Always with so many decimals, as the same figure of another place has. */
export const fixedText = (value: number, decimals: keyof typeof fixed): string => fixed[decimals](value);
export const percentText = (value: number): string => (value === 0 ? '0%' : share(value));
/** "£250,000". */
export const poundsText = (value: number): string => pounds(value);
/** "£2,100.01". */
export const amountText = (value: number): string => poundsAndPence(value);
/** "£250k", "£1.25m". */
export const shortPounds = (value: number): string => shortOfPounds(value).toLowerCase();
/** One word of a command, whatever is in it. */
export const shellText = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
export const dateText = (atMs: number): string => date(atMs);
/** Day and time to the minute. */
export const momentText = (atMs: number): string => moment(atMs);
/** Time to the second. */
export const clockText = (atMs: number): string => clock(atMs);
/** Of a day by UTC: YYYY-MM-DD. */
export const dayText = (day: string): string => dateOfUtc(Date.parse(`${day}T00:00:00Z`));
/** Of a month by UTC: YYYY-MM. */
export const monthText = (named: string): string => month(Date.parse(`${named}-01T00:00:00Z`));
/** Days and months that stand in a sentence as YYYY-MM-DD and YYYY-MM. "2022-23" is a year. */
export const withDates = (text: string): string =>
  text
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, dayText)
    .replaceAll(/\b\d{4}-(?:0[1-9]|1[0-2])\b(?!-)/g, monthText);
/** "320 m", "1.8 km". */
export const distanceText = (metres: number): string =>
  metres < 1000 ? `${whole(Math.round(metres))} m` : `${oneDecimal(metres / 1000)} km`;
export const millisecondsText = (value: number): string =>
  value < 10 ? `${fixedText(value, 1)} ms` : `${whole(Math.round(value))} ms`;

export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;
export const creditsText = (credits: number): string => countText(credits, 'credit');

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${oneDecimal(bytes / 1000 ** step)} ${units[step]}`;
}

let ago: Intl.RelativeTimeFormat | undefined;

const spans = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** What is typed over several lines is kept as one. */
export const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** "3 hours ago", "in 2 days", "now". */
export function sinceText(atMs: number, nowMs = Date.now()): string {
  const distance = atMs - nowMs;
  const span = spans.find(([, ms]) => Math.abs(distance) >= ms);
  if (span === undefined) return 'now';
  ago ??= new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });
  return ago.format(Math.trunc(distance / span[1]), span[0]);
}

/** "12 days": how long it is since then. */
export function spanText(atMs: number, nowMs = Date.now()): string {
  const distance = Math.abs(atMs - nowMs);
  const span = spans.find(([, ms]) => distance >= ms);
  return span === undefined ? 'less than a minute' : countText(Math.trunc(distance / span[1]), span[0]);
}

/** Calls are counted by the hour: when the last one was is known no closer. "this hour", "05:00 to 06:00", "yesterday". */
export function hourText(hourMs: number): string {
  const endMs = hourMs + 3_600_000;
  const nowMs = Date.now();
  if (nowMs < endMs) return 'this hour';
  return nowMs - hourMs < 86_400_000 ? `${time(hourMs)} to ${time(endMs)}` : sinceText(hourMs, nowMs);
}

/** Of a sum over so many days. */
export function paceText(sum: number, days: number): string {
  const pace = Math.round(sum / days);
  return pace === 0 && sum > 0 ? 'less than 1 a day' : `${whole(pace)} a day`;
}

const planTitles: Readonly<Record<string, string>> = {
  trial: 'Trial',
  basic: 'Basic',
  standard: 'Standard',
  premium: 'Premium',
  enterprise: 'Enterprise',
};
export const planText = (plan: string): string => planTitles[plan] ?? plan;

/** What would read oddly word by word. */
const changeTexts: Readonly<Record<string, string>> = {
  'member.invite-withdrawn': 'Invitation withdrawn',
  'member.invited': 'Invited',
  'member.role-changed': 'Role changed',
  'person.confirmed': 'Address confirmed',
  'person.renamed': 'Name changed',
  'person.standing-changed': 'Standing changed',
  'account.renamed': 'Account renamed',
  'plan.approved': 'Request for a plan approved',
  'plan.asked': 'Plan requested',
  'data.update-begun': 'Update of the data begun',
  'plan.priced': 'Price of a plan set',
  'plan.declined': 'Request for a plan declined',
  'plan.withdrawn': 'Request for a plan withdrawn',
};

/** Of a line of the audit log: `key.revoked` → "Key revoked". */
export function changeText(what: string): string {
  const words = changeTexts[what] ?? what.replace(/[.-]/g, ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** A table as text, for a file: rows in order, the titles first. */
export const csvText = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
