// A page of the documentation as tests read it: its tags, its links, and its words as a reader sees them.

/** Tags of our own making: hostile text has its brackets escaped, so it cannot be among them. */
export const tagsOf = (markup: string): readonly string[] => markup.match(/<[a-z!][^>]*>/gi) ?? [];

export const attributesOf = (name: string, markup: string): readonly string[] =>
  tagsOf(markup).flatMap((tag) =>
    [...tag.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map((found) => found[1] ?? ''),
  );

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

const resolved = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '');

/** As it is copied. */
export const textOf = (markup: string): string => resolved(markup.replace(/<[^>]*>/g, ''));

/** Tags gone, entities resolved, white space as single blanks. */
export const wordsOf = (markup: string): string =>
  resolved(markup.replace(/<wbr>/g, '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.)])|(?<=\() /g, '');
