// The document that every page of web/ begins from: it names the files of the bundle, and what the service tells of itself.

import type { Bundle, Section } from '../../bundle/bundle.ts';
import { type Html, html, nothing } from '../docs/html.ts';

type ShellFacts = {
  readonly version: string;
  readonly publicUrl: string | undefined;
  /** Undefined where the operator has turned it off. */
  readonly publicKey: string | undefined;
  /** Of the explorer alone: the address of map tiles, and whom to name beside them. */
  readonly tiles: string | undefined;
  readonly tilesAttribution: string | undefined;
};

export const assetPath = (name: string): string => `/assets/${name}`;

const meta = (name: string, content: string | undefined): Html =>
  content === undefined ? nothing : html`<meta name="domesday-${name}" content="${content}">\n`;

export function shell({ script, style, needs }: Bundle, section: Section, facts: ShellFacts): string {
  const ahead = needs[section].map((name) => html`<link rel="modulepreload" href="${assetPath(name)}">\n`);
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${meta('version', facts.version)}${meta('public-url', facts.publicUrl)}${meta('sandbox-key', facts.publicKey)}${meta('tiles', facts.tiles)}${meta('tiles-attribution', facts.tilesAttribution)}<title>Domesday</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath(style)}">
<script type="module" src="${assetPath(script)}"></script>
${ahead}<link rel="preload" as="fetch" crossorigin href="/portal/me">
</head>
<body>
<div id="app"></div>
<noscript><p>Domesday is UK property data over HTTP. These pages need JavaScript; <a href="/docs">the documentation</a> does not.</p></noscript>
</body>
</html>
`.html;
}
