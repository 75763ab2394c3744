// One request to the API from a page, as any client makes it: by a key. Where no reply comes, that is a value too.

import { type ApiRefusal, unreachable } from './refusal.ts';

type RequestWish = {
  readonly accept?: string;
  /** Sent as JSON by POST. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
};

/** `read` takes what it needs of the reply; a body that breaks off or is not what it should be counts as none. */
export async function requestApi<T>(
  target: string,
  key: string,
  read: (response: Response) => Promise<T>,
  { accept, body, signal }: RequestWish = {},
): Promise<T | ApiRefusal> {
  try {
    // No cookie goes with it: what it spends, the key allows.
    const response = await fetch(target, {
      headers: {
        'x-api-key': key,
        ...(accept === undefined ? {} : { accept }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
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
