// Where Node keeps what it has stripped and compiled, for the command and for the script that fills it at install.

import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Threads learn the place from the environment alone. */
export function keepCompiledModules() {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../node_modules/.cache/domesday', import.meta.url),
  );
  enableCompileCache();
}
