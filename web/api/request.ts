// One request to the API from a page, as any client makes it: by a key. Where no reply comes, that is a value too.

import { type ApiRefusal, unreachable } from './refusal.ts';

type RequestWish = { readonly accept?: string; readonly signal?: AbortSignal | undefined };

/** `read` takes what it needs of the reply; a body that breaks off or is not what it should be counts as none. */
export async function requestApi<T>(
  target: string,
  key: string,
  read: (response: Response) => Promise<T>,
  { accept, signal }: RequestWish = {},
): Promise<T | ApiRefusal> {
  try {
    // No cookie goes with it: what it spends, the key allows.
    const response = await fetch(target, {
      headers: { 'x-api-key': key, ...(accept === undefined ? {} : { accept }) },
      credentials: 'omit',
      signal: signal ?? null,
    });
    return await read(response);
  } catch (fault) {
    if (signal?.aborted === true) return unreachable;
    if (fault instanceof TypeError || fault instanceof SyntaxError) return unreachable;
    throw fault;
  }
}
