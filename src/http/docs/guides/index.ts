// The guides, in the order of the contents.

import type { Guide } from '../blocks.ts';
import { batch } from './batch.ts';
import { browsers } from './browsers.ts';
import { caching } from './caching.ts';
import { coverage } from './coverage.ts';
import { credits } from './credits.ts';
import { csv } from './csv.ts';
import { errorsAndRetries } from './errors.ts';
import { keys } from './keys.ts';
import { licences } from './licences.ts';
import { operators } from './operators.ts';
import { paging } from './paging.ts';
import { typedClients } from './typed-clients.ts';

export const guides: readonly Guide[] = [
  keys,
  credits,
  errorsAndRetries,
  caching,
  paging,
  batch,
  csv,
  browsers,
  typedClients,
  coverage,
  licences,
  operators,
];
