// What the document says of the service that sent it (src/http/web/shell.ts writes it).

const told = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="domesday-${name}"]`)?.content;

/** Where callers reach the API: its public address, else the one that was asked. */
export const apiOrigin: string = told('public-url') ?? location.origin;

/** The key that everybody may use; undefined where the operator has turned it off. */
export const sandboxKey: string | undefined = told('sandbox-key');

/** Address of map tiles, with {z}, {x} and {y}, or of a .pmtiles archive; undefined where the operator has set none. */
export const tilesAddress: string | undefined = told('tiles');
export const tilesAttribution: string | undefined = told('tiles-attribution');

export const version: string | undefined = told('version');
