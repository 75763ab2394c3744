// A Debian to build images on, made of the packages that this machine has installed: no registry is asked for one.

import { execFileSync } from 'node:child_process';
import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** The files of the essential packages, of those named, and of all that they depend on, as paths for tar below /. */
export function filesOfDebian(...named: readonly string[]): readonly string[] {
  const fields = ['Package', 'Essential', 'Provides', 'Pre-Depends', 'Depends'];
  const lines = dpkgQuery('-W', '-f', `${fields.map((field) => `\${${field}}`).join('\t')}\n`).split('\n');
  const packages = new Map<string, { readonly isEssential: boolean; readonly needs: string }>();
  const providers = new Map<string, string>();
  for (const line of lines) {
    const [name = '', essential, provides = '', ...needs] = line.split('\t');
    packages.set(name, { isEssential: essential === 'yes', needs: needs.join(',') });
    for (const each of namesIn(provides).flat()) providers.set(each, name);
  }
  const wanted = new Set([
    ...named,
    ...packages
      .entries()
      .filter(([, { isEssential }]) => isEssential)
      .map(([name]) => name),
  ]);
  for (const name of wanted) {
    for (const alternatives of namesIn(packages.get(name)?.needs ?? '')) {
      const there = alternatives.map((each) => (packages.has(each) ? each : providers.get(each)));
      const chosen = there.find((each) => each !== undefined);
      if (chosen !== undefined) wanted.add(chosen);
    }
  }
  const places = [...wanted].flatMap((name) => dpkgQuery('-L', name).split('\n'));
  const links = ['/bin', '/sbin', '/lib', '/lib64'].filter(
    (place) => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
  return [...new Set([...links, ...places.filter((place) => place.startsWith('/')).flatMap(asOnDisk)])];
}

const dpkgQuery = (...words: readonly string[]): string =>
  execFileSync('dpkg-query', words, { encoding: 'utf8', maxBuffer: 2 ** 26 });

/** `a (>= 1), b:any | c` is [[a], [b, c]]. */
const namesIn = (relation: string): readonly (readonly string[])[] =>
  relation
    .split(',')
    .map((each) => each.split('|').map((name) => name.trim().split(/[\s:(]/)[0] ?? ''))
    .filter(([name]) => name !== '');

/** Where it really lies: packages still name /lib, which is a link to /usr/lib. Documents and languages are left out. */
function asOnDisk(place: string): readonly string[] {
  if (/^\/usr\/share\/(doc|info|locale|man)\b/.test(place) || place === '/.') return [];
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return [];
  return [path.join(realpathSync(path.dirname(place)), path.basename(place))];
}
