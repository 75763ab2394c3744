// What the document says of the service that sent it (src/http/web/shell.ts writes it).

const told = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="domesday-${name}"]`)?.content;

/** Where callers reach the API: its public address, else the one that was asked. */
export const apiOrigin: string = told('public-url') ?? location.origin;

/** The key that everybody may use; undefined where the operator has turned it off. */
export const sandboxKey: string | undefined = told('sandbox-key');

export const version: string | undefined = told('version');
