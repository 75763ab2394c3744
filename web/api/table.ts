// An answer of the API as a table: the CSV that the service itself writes, for a file.

import { type ApiCall, targetOf } from './call.ts';
import { type ApiRefusal, refusalIn } from './refusal.ts';
import { requestApi } from './request.ts';

type ApiTable = { readonly kind: 'table'; readonly csv: Blob };

export const callForTable = (call: ApiCall, key: string): Promise<ApiTable | ApiRefusal> =>
  requestApi(targetOf(call), key, tableIn, { accept: 'text/csv' });

async function tableIn(response: Response): Promise<ApiTable | ApiRefusal> {
  if (!response.ok) return refusalIn(await response.json(), response.headers);
  return { kind: 'table', csv: await response.blob() };
}
