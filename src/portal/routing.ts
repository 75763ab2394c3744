// Which entry of the table a request means. Parts of a path are compared as they came: no id needs a sign that is encoded.

import type { AnyRoute } from './guards.ts';
import { table } from './table.ts';

type Found =
  | { readonly kind: 'found'; readonly route: AnyRoute; readonly parts: Readonly<Record<string, string>> }
  | { readonly kind: 'other methods'; readonly methods: readonly string[] }
  | { readonly kind: 'nothing' };

type Known = { readonly route: AnyRoute; readonly method: string; readonly segments: readonly string[] };

const isRoute = (text: string): text is AnyRoute => Object.hasOwn(table, text);

const known: readonly Known[] = Object.keys(table)
  .filter(isRoute)
  .map((route) => {
    const [method = '', path = ''] = route.split(' ');
    return { route, method, segments: path.split('/') };
  });

export function findRoute(method: string, path: string): Found {
  const segments = path.split('/');
  const there = known.flatMap((each) => {
    const parts = partsOf(each.segments, segments);
    return parts === undefined ? [] : [{ ...each, parts }];
  });
  const asked = method === 'HEAD' ? 'GET' : method;
  const found = there.find((each) => each.method === asked);
  if (found !== undefined) return { kind: 'found', route: found.route, parts: found.parts };
  const methods = there.flatMap((each) => (each.method === 'GET' ? ['GET', 'HEAD'] : [each.method]));
  return methods.length === 0 ? { kind: 'nothing' } : { kind: 'other methods', methods };
}

/** Undefined where the path is another. */
function partsOf(
  template: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (template.length !== segments.length) return undefined;
  const parts: [string, string][] = [];
  for (const [at, expected] of template.entries()) {
    const segment = segments[at] ?? '';
    if (expected.startsWith(':')) parts.push([expected.slice(1), segment]);
    else if (expected !== segment) return undefined;
  }
  return Object.fromEntries(parts);
}
