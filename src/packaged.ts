// Whether this program is the package, which is emitted JavaScript, or a checkout, which runs its TypeScript.

import path from 'node:path';

export const isPackaged = import.meta.filename.endsWith('.js');

/** What a package brings ready-made (scripts/package.ts): the bundle of the pages, and the bundled releases. */
export const preparedFolder = path.join(import.meta.dirname, '../prepared');
