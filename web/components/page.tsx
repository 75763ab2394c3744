// The frame of every page: the bar at the top, links of the section at the side, and the heading, which is read out and in the
// title of the window when the reader comes here.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { useMe } from '../me.ts';
import { isOfPerson } from '../person/paths.ts';
import { navigate, usePath } from '../router.ts';

type NavLink = {
  readonly href: string;
  readonly label: string;
  /** On a phone, where all links of a strip shall have room. */
  readonly short?: string;
  /** A number worth a look, such as requests that wait. */
  readonly count?: number;
  /** Paths that begin like this belong to it too. */
  readonly within?: string;
};

export type PageNav = {
  /** What the links are of, for whoever hears the page. */
  readonly label: string;
  /** Stands above the links: whose account it is. */
  readonly head?: ComponentChildren;
  readonly links: readonly NavLink[];
  /** `awaited`: sections of the page that links lead to are not there yet. */
  readonly sections?: 'awaited' | 'there';
};

export type PageWish = {
  readonly title: string;
  /** One sentence under the heading. */
  readonly lead?: ComponentChildren;
  readonly nav?: PageNav;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  /** `narrow`: a form and nothing else. */
  readonly width?: 'wide' | 'narrow';
  readonly children: ComponentChildren;
};

/** The first page of a document keeps the focus where the browser put it. */
let shown = 0;

export function Page({ title, lead, nav, actions, width = 'wide', children }: PageWish) {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = usePath();
  useEffect(() => {
    document.title = title === 'Domesday' ? title : `${title} · Domesday`;
  }, [title]);
  // Another path is another page, though the component stays.
  useEffect(() => {
    shown += 1;
    if (shown > 1) heading.current?.focus({ preventScroll: true });
  }, [path]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <SiteBar />
      <div class={nav === undefined ? `sheet sheet-${width}` : 'sheet sheet-with-nav'}>
        {nav === undefined ? null : <SideNav nav={nav} path={path} />}
        <main id="main" tabIndex={-1}>
          <header class="page-head">
            <div>
              <h1 ref={heading} tabIndex={-1}>
                {title}
              </h1>
              {lead === undefined ? null : <p class="lead">{lead}</p>}
            </div>
            {actions === undefined ? null : <div class="actions">{actions}</div>}
          </header>
          {children}
        </main>
      </div>
    </>
  );
}

function SideNav({ nav, path }: { readonly nav: PageNav; readonly path: string }) {
  const current = useRef<HTMLAnchorElement>(null);
  const counts = nav.links.map(({ count }) => count).join();
  const section = useCurrentSection(nav.sections === 'awaited' ? [] : nav.links.map(({ href }) => href));
  // On a phone the links are a strip that scrolls within itself.
  // Each path has its own current link; a count that comes later moves it.
  useEffect(() => {
    const link = current.current;
    const strip = link?.closest('ul');
    if (link === null || strip === null || strip === undefined) return;
    strip.scrollLeft = link.offsetLeft - (strip.clientWidth - link.clientWidth) / 2;
  }, [path, counts, section]);
  return (
    <div class="side">
      <nav aria-label={nav.label}>
        {nav.head}
        <ul>
          {nav.links.map(({ href, label, short, count, within }) => (
            <li key={href}>
              <a
                href={href}
                {...(href === section
                  ? { 'aria-current': 'location', ref: current }
                  : href === path || (within !== undefined && path.startsWith(within))
                    ? { 'aria-current': 'page', ref: current }
                    : {})}
              >
                <LinkWords label={label} short={short} />
                {count === undefined || count === 0 ? null : <span class="count">{count}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

function LinkWords({ label, short }: { readonly label: string; readonly short: string | undefined }) {
  if (short === undefined) return <>{label}</>;
  return (
    <>
      <span class="link-whole">{label}</span>
      <span class="link-short">{short}</span>
    </>
  );
}

function SiteBar() {
  const me = useMe();
  const path = usePath();
  const [menu, setMenu] = useState<'open' | 'closed'>('closed');
  // Whoever went to another page has chosen.
  useEffect(() => setMenu('closed'), [path]);
  const person = me.kind === 'told' ? me.told.person : undefined;
  const place = (href: string) =>
    (href === path || (href !== '/' && path.startsWith(`${href}/`) && !isOfPerson(path))) && href !== '/docs'
      ? { 'aria-current': 'page' as const }
      : {};
  const link = (href: string, label: string) => (
    <li>
      <a href={href} {...place(href)}>
        {label}
      </a>
    </li>
  );
  return (
    <header class="bar">
      <a class="brand" href="/">
        Domesday
      </a>
      <button
        type="button"
        class="menu-button"
        aria-expanded={menu === 'open'}
        aria-controls="site-menu"
        onClick={() => setMenu(menu === 'open' ? 'closed' : 'open')}
      >
        Menu
      </button>
      <nav id="site-menu" aria-label="Site" class={menu === 'open' ? 'site-menu open' : 'site-menu'}>
        <ul>
          {link('/explore', 'Explore')}
          {link('/docs', 'Documentation')}
          {person === undefined || person === null ? null : link('/account', 'Dashboard')}
          {person?.standing === 'operator' ? link('/admin', 'Operator') : null}
        </ul>
        <ul class="person">
          {person === undefined ? null : person === null ? (
            <>
              {link('/account/sign-in', 'Sign in')}
              {me.kind === 'told' && me.told.signUp === 'open' ? link('/account/sign-up', 'Sign up') : null}
            </>
          ) : (
            <>
              <li>
                <a href="/account/person" class="person-link" {...place('/account/person')}>
                  {person.name ?? person.email}
                </a>
              </li>
              <li>
                <SignOut again={me.again} />
              </li>
            </>
          )}
        </ul>
      </nav>
    </header>
  );
}

function SignOut({ again }: { readonly again: () => Promise<void> }) {
  return (
    <button
      type="button"
      class="link-button"
      onClick={async () => {
        await ask('POST /portal/sign-out', {});
        await again();
        navigate('/');
      }}
    >
      Sign out
    </button>
  );
}

/** Of the screen: below it one still looks at the section before. */
const lineShare = 0.3;

/** Of these links the one whose section, or what follows it, is at the line; undefined above the first. */
function useCurrentSection(hrefs: readonly string[]): string | undefined {
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
