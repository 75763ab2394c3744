// What package-lock.json says of some packages and of all that they depend on, and an SBOM of it (CycloneDX 1.6).

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
};

type Locked = {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
};
export type Lock = { readonly packages: Readonly<Record<string, Locked>> };

/** By their place in node_modules, in the order of the names. */
export function lockedFor({ packages }: Lock, names: readonly string[]): Readonly<Record<string, Locked>> {
  const places = new Set(names.map((name) => placeOf(packages, '', name)));
  for (const place of places)
    for (const name of Object.keys(packages[place]?.dependencies ?? {}))
      places.add(placeOf(packages, place, name));
  const found = [...places].sort().flatMap((place) => {
    const locked = packages[place];
    return locked === undefined ? [] : [[place, locked] as const];
  });
  return Object.fromEntries(found);
}

/** Where Node finds a package that one at `from` asks for: in its own folder, or in the nearest above. */
function placeOf(packages: Lock['packages'], from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === '') throw new Error(`package-lock.json has no ${name}, which ${from} needs; run npm ci.`);
  }
}

export const sbomOf = ({ name, version, license }: Manifest, packages: Readonly<Record<string, Locked>>) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': `${name}@${version}`,
      name,
      version,
      licenses: [{ license: { id: license } }],
      purl: `pkg:npm/${name}@${version}`,
    },
  },
  components: componentsOf(packages),
});

const componentsOf = (packages: Readonly<Record<string, Locked>>) =>
  Object.entries(packages).map(([place, { version, integrity, license }]) => {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return {
      type: 'library',
      'bom-ref': `${place}@${version}`,
      name,
      version,
      ...(integrity === undefined ? {} : { hashes: [hashIn(integrity)] }),
      ...(license === undefined ? {} : { licenses: [licenseIn(license)] }),
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    };
  });

/** npm writes `sha512-` and base64. */
function hashIn(integrity: string): { readonly alg: string; readonly content: string } {
  const [, bits = '', content = ''] = /^sha(\d+)-(.+)$/.exec(integrity) ?? [];
  return { alg: `SHA-${bits}`, content: Buffer.from(content, 'base64').toString('hex') };
}

const licenseIn = (license: string) =>
  /\s/.test(license) ? { expression: license } : { license: { id: license } };
