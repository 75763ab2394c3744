// A folder that stands for the web: https://HOST/PATH?QUERY lies at FOLDER/HOST/PATH?QUERY, as `domesday update --from FOLDER`
// asks for it.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** When publishers last changed their files, unless said otherwise. */
export const publishedAt = new Date('2026-10-28T09:30:00Z');

export class Mirror {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Where the copy of an address lies; the folder above it is there. */
  placeOf(address: string): string {
    const { hostname, pathname, search } = new URL(address);
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const place = path.join(this.folder, `${hostname}${name}${search.replaceAll('/', '%2F')}`);
    mkdirSync(path.dirname(place), { recursive: true });
    return place;
  }

  put(address: string, content: string | Uint8Array): void {
    const place = this.placeOf(address);
    writeFileSync(place, content);
    this.publish(place);
  }

  /** The time of a file is what tells a publisher's change. */
  publish(place: string, at = publishedAt): void {
    utimesSync(place, at, at);
  }

  putJson(address: string, value: unknown): void {
    this.put(address, JSON.stringify(value));
  }

  /** A page for people with one link, and what stands behind it. */
  putPage(address: string, link: string, behind = ''): void {
    this.put(
      address,
      `<!doctype html><html><body><p><a href="${link.replaceAll('&', '&amp;')}">Download</a> ${behind}</p></body></html>\n`,
    );
  }
}
