// Settings of the explorer's map: tiles of another maker below it.

import { type Parsed, setting } from './values.ts';

/** Pictures at an address for each, or a PMTiles archive of pictures: on the web, or in a file that the service hands out. */
type Tiles =
  | { readonly kind: 'pictures' | 'archive'; readonly address: string; readonly origin: string }
  | { readonly kind: 'file'; readonly file: string };

const expected =
  'an address with {z}, {x} and {y} such as https://tiles.example.org/{z}/{x}/{y}.png, or the address or the file of a .pmtiles archive';

/** What an address may have, so that it can stand in a Content-Security-Policy. */
const plainOrigin = /^https?:\/\/[\w.-]+(:\d{1,5})?$|^https?:\/\/\[[\da-f:]+\](:\d{1,5})?$/;

function parseTiles(value: string): Parsed<Tiles | undefined> {
  if (/^https?:\/\//i.test(value)) {
    const { origin = '', username, pathname = '' } = URL.parse(value) ?? {};
    if (!plainOrigin.test(origin) || username !== '') return { ok: false, expected };
    if (pathname.endsWith('.pmtiles'))
      return { ok: true, value: { kind: 'archive', address: value, origin } };
    return ['{z}', '{x}', '{y}'].every((part) => value.includes(part))
      ? { ok: true, value: { kind: 'pictures', address: value, origin } }
      : { ok: false, expected };
  }
  return value.endsWith('.pmtiles')
    ? { ok: true, value: { kind: 'file', file: value } }
    : { ok: false, expected };
}

export const tilesSettings = {
  tiles: setting<Tiles | undefined>({
    env: 'DOMESDAY_TILES',
    flag: 'tiles',
    fallback: undefined,
    placeholder: 'URL_OR_FILE',
    help: 'Map tiles (pictures) below the explorer’s map: https://HOST/{z}/{x}/{y}.png, or a PMTiles archive of pictures at an https address or in a file, which the service then hands out itself. Only that host is added to the Content-Security-Policy of the explorer. Without it the map is drawn from the loaded data alone.',
    parse: parseTiles,
  }),
  tilesAttribution: setting<string | undefined>({
    env: 'DOMESDAY_TILES_ATTRIBUTION',
    flag: 'tiles-attribution',
    fallback: undefined,
    placeholder: 'TEXT',
    help: 'Whom the makers of those tiles want named beside the map.',
    parse: (value) =>
      value.length <= 300 ? { ok: true, value } : { ok: false, expected: 'at most 300 characters' },
  }),
} as const;
