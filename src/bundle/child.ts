// A process of its own that makes the bundle beside a service, says it on standard output, and keeps it where it may. It gives
// way to the service.

import { constants, setPriority } from 'node:os';
import { errorCode } from '../errno.ts';
import { bundleKey, bundleText, keepBundle } from './bundle.ts';
import { makeBundle } from './make.ts';

setPriority(constants.priority.PRIORITY_LOW);
const bundle = await makeBundle();
process.stdout.write(bundleText(bundle));
try {
  await keepBundle(await bundleKey(), bundle);
} catch (error) {
  // A file system that cannot be written to: every start makes it again.
  if (!(errorCode(error) === 'EROFS' || errorCode(error) === 'EACCES')) throw error;
}
