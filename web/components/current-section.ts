// Which section of a page its reader is at, for links that lead into the page. The browser tells when one passes a line; nothing
// runs while it scrolls.

import { useEffect, useState } from 'preact/hooks';

/** Of the screen: below it one still looks at the section before. */
const lineShare = 0.3;

/** Of these links the one whose section, or what follows it, is at the line; undefined above the first. */
export function useCurrentSection(hrefs: readonly string[]): string | undefined {
  const [current, setCurrent] = useState<string | undefined>(undefined);
  const fragments = hrefs.filter((href) => href.startsWith('#')).join(' ');
  useEffect(() => {
    const sections = (fragments === '' ? [] : fragments.split(' ')).flatMap((href) => {
      const element = document.getElementById(href.slice(1));
      return element === null ? [] : [{ href, element }];
    });
    if (sections.length === 0) return;
    const watcher = new IntersectionObserver(
      () => {
        const line = innerHeight * lineShare;
        const at = sections.findLast(({ element }) => element.getBoundingClientRect().top <= line);
        setCurrent(at?.href);
      },
      { rootMargin: `${-100 * lineShare}% 0px ${-100 * (1 - lineShare)}% 0px` },
    );
    for (const { element } of sections) watcher.observe(element);
    return () => watcher.disconnect();
  }, [fragments]);
  return current;
}
