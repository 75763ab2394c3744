// How many milliseconds the units of time have, where none of them is a month.

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
