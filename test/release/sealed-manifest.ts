// Writes a manifest as another version of the program could have: whatever it says, with the checksum that belongs to it.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

export function writeManifest(dir: string, content: string): void {
  const digest = createHash('sha256').update(content).digest('hex');
  writeFileSync(path.join(dir, 'manifest.json'), content);
  writeFileSync(path.join(dir, 'manifest.sha256'), `${digest}  manifest.json\n`);
}
