// What every page of the documentation does with a script: copying, one language for all examples, the part of the page in
// view, and the search. Each page reads without it.

import './origin.js';

for (const element of document.querySelectorAll('.js-only')) element.hidden = false;

// Copying

for (const button of document.querySelectorAll('.copy')) {
  button.addEventListener('click', async () => {
    const code = button.parentElement.querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      // Browsers refuse the clipboard on plain http: leave the text selected for a copy by hand.
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}

// The language of the examples: chosen once, for all of them and for the next page

const storedAs = 'domesday-language';

function storedLanguage() {
  try {
    return sessionStorage.getItem(storedAs);
  } catch {
    return null; // Storage can be switched off; each page then begins with curl.
  }
}

function choose(language) {
  for (const pick of document.querySelectorAll('.tabs > input')) {
    if (pick.value === language) pick.checked = true;
  }
}

for (const pick of document.querySelectorAll('.tabs > input')) {
  pick.addEventListener('change', () => {
    // What stands above grows or shrinks; the tabs under the finger stay where they are.
    const before = pick.getBoundingClientRect().top;
    choose(pick.value);
    scrollBy({ top: pick.getBoundingClientRect().top - before, behavior: 'instant' });
    try {
      sessionStorage.setItem(storedAs, pick.value);
    } catch {
      // As above.
    }
  });
}
const language = storedLanguage();
if (language !== null) choose(language);

// The contents: the page that is open is in sight

const contents = document.querySelector('#contents');
const current = contents.querySelector('[aria-current]');
const showCurrent = () => {
  if (current !== null) contents.scrollTop = current.offsetTop - contents.clientHeight / 3;
};
contents.addEventListener('toggle', showCurrent);
showCurrent();
// Where there is room they stand beside the page: what was opened above it on a narrow screen goes back there (docs.css).
matchMedia('(min-width: 60rem)').addEventListener('change', ({ matches }) => {
  if (matches) contents.hidePopover();
});

// The part of the page in view

const linkOf = new Map(
  [...document.querySelectorAll('.toc a')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
);
const watched = [...linkOf.keys()]
  .map((id) => document.getElementById(id))
  .filter((element) => element !== null);

function markPlace() {
  const line = 120; // Just below the bar.
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const place = atEnd
    ? watched.at(-1)
    : watched.filter((element) => element.getBoundingClientRect().top <= line).at(-1);
  for (const [id, link] of linkOf) {
    if (place?.id === id) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

if (watched.length > 0) {
  let isMarking = false;
  addEventListener(
    'scroll',
    () => {
      if (isMarking) return;
      isMarking = true;
      requestAnimationFrame(() => {
        isMarking = false;
        markPlace();
      });
    },
    { passive: true },
  );
  markPlace();
}

// The search is fetched when somebody is about to use it.

const box = document.querySelector('#search');
let opened = false;
box.addEventListener('focus', () => {
  if (opened) return;
  opened = true;
  import('/docs/search.js').then(
    ({ openSearch }) => openSearch(box),
    () => {
      opened = false; // Fetched again at the next focus.
    },
  );
});
document.querySelector('.search').addEventListener('submit', (event) => event.preventDefault());
addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
  const isCalled =
    (event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey));
  if (!isCalled || (event.key === '/' && (event.metaKey || event.ctrlKey || event.altKey))) return;
  event.preventDefault();
  box.focus();
  box.select();
});
