// The version of this package, from its own package.json.

import { readFileSync } from 'node:fs';

function readVersion(): string {
  const content: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const isPackage = typeof content === 'object' && content !== null && 'version' in content;
  return isPackage ? String(content.version) : 'unknown';
}

export const version = readVersion();
