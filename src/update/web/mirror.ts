// Where a mirror keeps what a publisher keeps elsewhere: https://HOST/PATH?QUERY lies at MIRROR/HOST/PATH?QUERY, as
// `wget -x` lays it out.

/** The mirror's own address may be plain http: it is the operator's choice. */
export function mirroredAddress(mirror: URL, { hostname, pathname, search }: URL): URL {
  const mirrored = new URL(mirror);
  mirrored.pathname = `${folderOf(mirror)}${hostname}${pathname}`;
  mirrored.search = search;
  return mirrored;
}

/** What a redirect of the mirror means. It may name the publisher's address, or the mirror's copy of it; a path alone is the
 *  mirror's where it begins with a host of the publication, else the publisher's. */
export function publishedAddress(
  mirror: URL,
  location: string,
  asked: URL,
  hosts: readonly string[],
): URL | null {
  const within = URL.parse(location, mirroredAddress(mirror, asked));
  const folder = folderOf(mirror);
  if (within !== null && within.origin === mirror.origin && within.pathname.startsWith(folder)) {
    const [host = '', ...steps] = within.pathname.slice(folder.length).split('/');
    if (hosts.includes(host)) return URL.parse(`https://${host}/${steps.join('/')}${within.search}`);
  }
  return URL.parse(location, asked);
}

const folderOf = ({ pathname }: URL): string => (pathname.endsWith('/') ? pathname : `${pathname}/`);
