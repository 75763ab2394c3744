// An answer of the API as a table: the CSV that the service itself writes, for a file.

import { type ApiCall, type ApiRefusal, refusalIn, targetOf, unreachable } from './call.ts';

type ApiTable = { readonly kind: 'table'; readonly csv: Blob };

export async function callForTable(call: ApiCall, key: string): Promise<ApiTable | ApiRefusal> {
  try {
    const response = await fetch(targetOf(call), {
      headers: { 'x-api-key': key, accept: 'text/csv' },
      credentials: 'omit',
    });
    if (!response.ok) return refusalIn(await response.json(), response.headers);
    return { kind: 'table', csv: await response.blob() };
  } catch (fault) {
    if (fault instanceof TypeError || fault instanceof SyntaxError) return unreachable;
    throw fault;
  }
}
