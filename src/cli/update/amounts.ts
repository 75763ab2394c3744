// Amounts as people read them: 254 MB, 5.5 GB, 26 minutes.

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** In powers of a thousand, as publishers state sizes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit > 2 && value < 99.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} seconds`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}
