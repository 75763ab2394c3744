// Numbers, dates and words as British readers write them. Days of the ledger are UTC; moments are shown by the reader's clock.

const whole = new Intl.NumberFormat('en-GB');
const oneDecimal = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });
/** Below each other, so that each has as many digits. */
const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
const share = new Intl.NumberFormat('en-GB', { style: 'percent', ...tenths });
const tenthsOf = new Intl.NumberFormat('en-GB', tenths);
const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });
const pounds = new Intl.NumberFormat('en-GB', {
  style: 'currency',
  currency: 'GBP',
  maximumFractionDigits: 0,
});
const shortOfPounds = new Intl.NumberFormat('en-GB', {
  style: 'currency',
  currency: 'GBP',
  notation: 'compact',
  maximumSignificantDigits: 3,
});
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const dateOfUtc = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const ago = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });

export const numberText = (value: number): string => whole.format(value);
export const shortNumber = (value: number): string => compact.format(value);
/** Always with so many decimals, as the same figure of another place has. */
export const fixedText = (value: number, decimals: number): string =>
  value.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
export const percentText = (value: number): string => (value === 0 ? '0%' : share.format(value));
/** "£250,000". */
export const poundsText = (value: number): string => pounds.format(value);
/** "£250k", "£1.25m". */
export const shortPounds = (value: number): string => shortOfPounds.format(value).toLowerCase();
export const dateText = (atMs: number): string => date.format(atMs);
/** Day and time to the minute. */
export const momentText = (atMs: number): string => moment.format(atMs);
/** Time to the second. */
export const clockText = (atMs: number): string => clock.format(atMs);
/** Of a day by UTC: YYYY-MM-DD. */
export const dayText = (day: string): string => dateOfUtc.format(Date.parse(`${day}T00:00:00Z`));
/** Of a month by UTC: YYYY-MM. */
export const monthText = (named: string): string => month.format(Date.parse(`${named}-01T00:00:00Z`));
/** Days and months that stand in a sentence as YYYY-MM-DD and YYYY-MM. "2022-23" is a year. */
export const withDates = (text: string): string =>
  text
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, dayText)
    .replaceAll(/\b\d{4}-(?:0[1-9]|1[0-2])\b(?!-)/g, monthText);
/** "320 m", "1.8 km". */
export const distanceText = (metres: number): string =>
  metres < 1000 ? `${whole.format(Math.round(metres))} m` : `${oneDecimal.format(metres / 1000)} km`;
export const millisecondsText = (value: number): string =>
  value < 10 ? `${tenthsOf.format(value)} ms` : `${whole.format(Math.round(value))} ms`;

export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${whole.format(count)} ${count === 1 ? one : many}`;
export const creditsText = (credits: number): string => countText(credits, 'credit');

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${oneDecimal.format(bytes / 1000 ** step)} ${units[step]}`;
}

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
  return span === undefined ? 'now' : ago.format(Math.trunc(distance / span[1]), span[0]);
}

/** "12 days": how long it is since then. */
export function spanText(atMs: number, nowMs = Date.now()): string {
  const distance = Math.abs(atMs - nowMs);
  const span = spans.find(([, ms]) => distance >= ms);
  return span === undefined ? 'less than a minute' : countText(Math.trunc(distance / span[1]), span[0]);
}

/** Calls are counted by the hour: when the last one was is known no closer. */
export const hourText = (hour: number): string =>
  Date.now() - hour < 3_600_000 ? 'this hour' : sinceText(hour);

/** Of a sum over so many days. */
export function paceText(sum: number, days: number): string {
  const pace = Math.round(sum / days);
  return pace === 0 && sum > 0 ? 'less than 1 a day' : `${whole.format(pace)} a day`;
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
  'plan.approved': 'Request for a plan approved',
  'plan.asked': 'Plan requested',
  'plan.declined': 'Request for a plan declined',
  'plan.withdrawn': 'Request for a plan withdrawn',
};

/** Of a line of the audit log: `key.revoked` → "Key revoked". */
export function changeText(what: string): string {
  const words = changeTexts[what] ?? what.replace(/[.-]/g, ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
