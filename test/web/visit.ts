// Looks at a page as a reader does, and notices what no reader should meet: errors in the console, requests that leave the
// service, what screen readers stumble over, and a page wider than the screen.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Look = { readonly width: 360 | 1280; readonly colours: 'light' | 'dark' };

export const looks: readonly [Look, ...Look[]] = [
  { width: 360, colours: 'light' },
  { width: 360, colours: 'dark' },
  { width: 1280, colours: 'light' },
  { width: 1280, colours: 'dark' },
];

export type Visit = {
  readonly page: Page;
  /** What went wrong so far, in words. */
  readonly faults: string[];
  /** The page, its cookies, storage, prepared answers and faults are as those of a new one. */
  readonly forget: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A busy machine may be as slow as that; nothing waits for a limit. */
export const patienceMs = 90_000;

const sizeOf = ({ width }: Look) => ({ width, height: width === 360 ? 740 : 900 });

/** A page of its own, with no cookie of another's. `origin` is the service: nothing else may be asked. */
export async function visit(browser: Browser, origin: string, look: Look): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: sizeOf(look),
    colorScheme: look.colours,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/London',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  page.on('console', (message) => {
    // The browser writes a line for every refusal of the service, which a page may well await, and for what a test cuts off.
    const isRefusal =
      /Failed to load resource: (the server responded with a status of [45]|net::ERR_FAILED)/.test(
        message.text(),
      );
    if (message.type() === 'error' && !isRefusal) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== 'data:' && asked !== new URL(origin).origin)
      faults.push(`left the service: ${request.url()}`);
  });
  const protocol = await context.newCDPSession(page);
  const forget = async () => {
    // First the document: what it asked may still fail, and a path that differs in its token alone would not be loaded.
    await page.goto('about:blank');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await protocol.send('Storage.clearDataForOrigin', { origin, storageTypes: 'cookies,local_storage' });
    faults.length = 0;
  };
  return { page, faults, forget, close: () => context.close() };
}

/** On another screen. No page asks for the width but by its styles and charts, which follow it. */
export async function setLook({ page }: Visit, look: Look): Promise<void> {
  await page.setViewportSize(sizeOf(look));
  await page.emulateMedia({ colorScheme: look.colours, reducedMotion: 'reduce' });
}

/** The page that is shown, drawn anew. */
export async function lookAs(visited: Visit, look: Look): Promise<void> {
  await setLook(visited, look);
  await visited.page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
  );
}

/** Waits until it is so. The page's own policy forbids to evaluate text within it, but for what the test itself asks. */
export async function until(page: Page, expression: string): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!(await page.evaluate(expression))) {
    if (performance.now() > endMs) throw new Error(`This never came: ${expression}`);
    const came: string = await page.evaluate(`Promise.race([
      new Promise((resolve) => requestAnimationFrame(() => resolve('frame'))),
      new Promise((resolve) => setTimeout(resolve, 1000, 'nothing')),
    ])`);
    // On a busy machine the browser may stop making frames until somebody wants to see one.
    if (came === 'nothing') await page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } });
  }
}

/** Opens the part of a page with those words in its heading. What it holds is made only then. */
export async function unfold(words: Locator): Promise<void> {
  await words.click();
  await words.locator('xpath=ancestor-or-self::summary/following-sibling::*').first().waitFor();
}

/** Everything that every page is promised to keep to. */
export async function lookOver(visited: Visit, name: string): Promise<void> {
  await lookAt(visited, name);
  const { page } = visited;
  const parts: readonly string[] = await page.evaluate(partsOf);
  const known = parts.flatMap((part, at) => (partsSeen.has(part) ? [at] : []));
  const of = `{ include: document, exclude: ${JSON.stringify(known)}.map((at) => parts[at]) }`;
  const findings = await axeFindings(page, of, `rules: ${JSON.stringify(notOfTree)}`);
  assert.deepEqual(findings, [], `${name} for screen readers`);
  for (const part of parts) partsSeen.add(part);
  assert.deepEqual(await landmarkFaults(page), [], `${name} in its landmarks`);
}

/** Whoever goes from landmark to landmark misses text that stands in none, and cannot tell apart two of one name. */
const landmarkFaults = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const landmarks = 'main, nav, header, footer, aside, search, dialog, [role=alert], [role=status], [aria-live], a[href="#main"]';
    const faults = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      const isIn = parentElement.closest(landmarks) !== null || !parentElement.checkVisibility();
      if (data.trim() !== '' && !isIn) faults.push('in none: ' + data.trim().slice(0, 80));
    }
    const names = new Set();
    for (const element of document.querySelectorAll('nav, aside, search, section[aria-label]')) {
      const name = element.localName + ' ' + element.getAttribute('aria-label');
      if (element.checkVisibility() && names.has(name)) faults.push('twice: ' + name);
      if (element.checkVisibility()) names.add(name);
    }
    return faults;
  })()`);

/** Parts in which this process has found nothing, as their HTML: most states differ from others in one part. */
const partsSeen = new Set<string>();
const partsOf = `(globalThis.parts = [...document.querySelectorAll('header, nav, main section, main figure, main table')])
  .map((part) => part.outerHTML)`;

/** Contrast and landmarks are looked at apart. The others take long, and whatever they find is told to be less than serious. */
const notOfTree = Object.fromEntries(
  ['color-contrast', 'region', 'heading-order'].map((rule) => [rule, { enabled: false }]),
);

/** What does not depend on colours alone, but for what screen readers meet, which is the same at every width. */
export async function lookAt({ page, faults }: Visit, name: string): Promise<void> {
  assert.deepEqual(faults, [], name);
  assert.equal(await page.locator('h1').count(), 1, `${name} has one heading`);
  assert.match(await page.title(), /Domesday/, name);
  assert.deepEqual(await tooWide(page), [], `${name} is wider than the screen`);
  assert.deepEqual(await sideways(page), [], `${name} has tables that are read by scrolling sideways`);
  assert.deepEqual(await atTheEdge(page), [], `${name} has words at the very edge of the screen`);
  assert.deepEqual(await tooSmall(page), [], `${name} has targets that a finger misses`);
  assert.deepEqual(await brokenWords(page), [], `${name} breaks words in two`);
  assert.deepEqual(await cutWords(page), [], `${name} cuts words in fields`);
  assert.deepEqual(await contrastFindings(page), [], `${name} in its contrasts`);
}

/** What reaches beyond the screen, where the page scrolls sideways. */
const tooWide = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => element.tagName + ' .' + element.className);
  })()`);

/** Tables on a phone, and beside a second place: whatever is beyond the edge is not seen. Those behind charts have every series as a
 *  column, and scroll. */
const sideways = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const narrow = innerWidth > 600 ? '.side-by-side .table-frame' : '.table-frame';
    return [...document.querySelectorAll(narrow)]
      .filter((frame) => frame.checkVisibility() && frame.closest('.chart-table') === null)
      .filter((frame) => frame.scrollWidth > frame.clientWidth)
      .map((frame) => frame.getAttribute('aria-label'));
  })()`);

/** Words that no margin sets apart, but for those in what scrolls sideways. */
const atTheEdge = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { parentElement: element, data } = texts.currentNode;
      if (data.trim() === '' || !element.checkVisibility() || element.closest('.unseen, .skip') !== null) continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      const { left, width } = range.getBoundingClientRect();
      if (width < 2 || left < 0 || left >= 8) continue;
      let scroller = element;
      while (scroller !== null && !/auto|scroll/.test(getComputedStyle(scroller).overflowX)) scroller = scroller.parentElement;
      if (scroller === null) found.push(element.tagName + ' "' + data + '"');
    }
    return found;
  })()`);

/** On a phone; links within a sentence are as high as their line. */
const tooSmall = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    if (innerWidth > 600) return [];
    return [...document.querySelectorAll('button, select, input, .button, nav a, summary')]
      .filter((element) => element.checkVisibility() && !element.matches('[type=radio], [type=checkbox], .sort'))
      .map((element) => ({ element, height: element.getBoundingClientRect().height }))
      .filter(({ height }) => height > 0 && height < 43.5)
      .map(({ element, height }) => element.tagName + ' "' + element.textContent + '" ' + height);
  })()`);

/** Words of headings and figures that go on in the next line. A page says where a long one may break. */
export const brokenWords = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const broken = [];
    for (const element of document.querySelectorAll('h1, h2, h3, h4, dt, .figure, .figure-note')) {
      if (!element.checkVisibility() || element.closest('.unseen') !== null) continue;
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        for (const { 0: word, index } of texts.currentNode.data.matchAll(/[^\\s–/-]+/g)) {
          const range = document.createRange();
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
          if (lines.size > 1) broken.push(element.tagName + ' "' + word + '" in "' + element.textContent + '"');
        }
      }
    }
    return broken;
  })()`);

/** Fields that are too narrow for what is chosen in them, or for the words that stand in them before a reader types. */
const cutWords = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const pen = document.createElement('canvas').getContext('2d');
    const cut = [];
    for (const field of document.querySelectorAll('select, input[placeholder]')) {
      if (!field.checkVisibility()) continue;
      const style = getComputedStyle(field);
      const words = field.tagName === 'SELECT' ? field.selectedOptions[0]?.text : field.placeholder;
      pen.font = style.font;
      const arrow = field.tagName === 'SELECT' ? 20 : 0;
      const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
      const width = pen.measureText(words ?? '').width;
      if (width > room) cut.push(words + ': ' + Math.ceil(width) + ' in ' + Math.floor(room));
    }
    return cut;
  })()`);

type Finding = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
};

/** Put into the page by the protocol of the browser, which the page's own rules for scripts do not bind. */
async function axeFindings(page: Page, of: string, options: string): Promise<readonly string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axeSource);
  const findings: readonly Finding[] = await page.evaluate(
    `axe.run(${of}, { resultTypes: ['violations'], ${options} }).then(({ violations }) => violations)`,
  );
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** How much lighter the lighter colour is, as WCAG says. */
export const contrastOf = `((one, other) => {
  const sheet = new OffscreenCanvas(1, 1).getContext('2d');
  const light = (colour) => {
    sheet.fillStyle = colour;
    sheet.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...sheet.getImageData(0, 0, 1, 1).data].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [a, b] = [light(one), light(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})`;

/** Texts whose contrast this process has asked axe about, each as everything that it depends on. */
const contrastsSeen = new Set<string>();

/** Of each text and field in sight whose contrast is not plainly enough, what it depends on. The page keeps one element for each.
 *  Plain is one opaque colour on another, with nothing placed above or below. */
const contrastsOf = `(() => {
  const contrast = ${contrastOf};
  const ratios = new Map();
  const isEnough = (one, other) => {
    const both = one + other;
    if (!ratios.has(both)) ratios.set(both, contrast(one, other));
    return ratios.get(both) >= 4.5;
  };
  const grounds = new Map([[null, { looks: '', isPlain: false }]]);
  const groundOf = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity, position } = getComputedStyle(element);
      const isOpaque = backgroundColor.startsWith('rgb(') && opacity === '1';
      const isPlain = backgroundImage === 'none' && opacity === '1' && position === 'static';
      const own = [backgroundColor, backgroundImage, opacity, position].join();
      const below = isOpaque ? { looks: '', isPlain: true, colour: backgroundColor } : groundOf(element.parentElement);
      const colour = isOpaque || backgroundColor === 'rgba(0, 0, 0, 0)' ? below.colour : undefined;
      grounds.set(element, { looks: below.looks + own, isPlain: isPlain && below.isPlain, colour });
    }
    return grounds.get(element);
  };
  globalThis.inked = new Map();
  for (const element of document.body.querySelectorAll('*')) {
    const hasWords = [...element.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== '');
    if (!hasWords && !element.matches('input, select, textarea')) continue;
    if (!element.checkVisibility()) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const { looks, isPlain, colour } = groundOf(element);
    if (isPlain && color.startsWith('rgb(') && colour !== undefined && isEnough(color, colour)) continue;
    // Of what cannot be used axe says nothing, nor of its label.
    const use = element.closest(':disabled, [aria-disabled=true], label') === null;
    inked.set([color, fontSize, fontWeight, textShadow, use, looks].join(), element);
  }
  return [...inked.keys()];
})()`;

/** Axe takes as long for a text as for all other rules together. */
async function contrastFindings(page: Page): Promise<readonly string[]> {
  const contrasts: readonly string[] = await page.evaluate(contrastsOf);
  const unseen = contrasts.filter((each) => !contrastsSeen.has(each));
  if (unseen.length === 0) return [];
  for (const each of unseen) contrastsSeen.add(each);
  const of = `{ include: ${JSON.stringify(unseen)}.map((each) => inked.get(each)) }`;
  return axeFindings(page, of, `runOnly: ['color-contrast']`);
}
