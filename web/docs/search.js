// The search of the documentation. The service makes one list of every part of every page (/docs/search.json); this looks
// through it, best first, and lets the arrow keys choose.

const most = 8;
const list = document.querySelector('#found');
const count = document.querySelector('#found-count');

/** Lower case, with spaces where a name goes over into the next word: `medianAge` is found by "age" too. */
const wordsOf = (text) =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

/** How well one word that was typed fits into a text: a whole word, its beginning, or nothing. A letter beside other words
 *  ("band I") is a word of its own: it begins too many others. */
function fit(words, typed, isAlone) {
  let best = 0;
  for (const word of words) {
    if (word === typed) return 2;
    if (word.startsWith(typed) && (typed.length > 1 || isAlone)) best = 1;
  }
  return best;
}

async function readEntries() {
  const reply = await fetch('/docs/search.json', { credentials: 'omit' });
  if (!reply.ok) throw new Error(`The search index is ${reply.status}.`);
  return (await reply.json()).map(([href, page, part, words]) => ({
    href,
    page,
    part,
    words,
    inPage: [...wordsOf(page), page.toLowerCase()],
    inPart: wordsOf(part),
    inWords: new Set([...wordsOf(words), ...words.toLowerCase().split(/[^\w/.-]+/)]),
    phrases: [page, part, words].map((text) => ` ${wordsOf(text).join(' ')}`).join(' ·'),
  }));
}

/** Every word that was typed has to be somewhere; words side by side count most, then titles. */
function weigh({ inPage, inPart, inWords, part, phrases }, typed) {
  const isAlone = typed.length === 1;
  let sum = part === '' ? 1 : 0;
  if (!isAlone && `${phrases} `.includes(` ${typed.join(' ')} `)) sum += 40;
  for (const word of typed) {
    const found =
      8 * fit(inPage, word, isAlone) + 5 * fit(inPart, word, isAlone) + fit(inWords, word, isAlone);
    if (found === 0) return 0;
    sum += found;
  }
  return sum;
}

function search(entries, text) {
  const typed = wordsOf(text);
  if (typed.length === 0) return [];
  const found = entries
    .map((entry) => ({ entry, weight: weigh(entry, typed) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  // Not more than two parts of a page: the rest of the list is for others.
  const ofPage = new Map();
  return found
    .filter(({ entry: { page } }) => {
      ofPage.set(page, (ofPage.get(page) ?? 0) + 1);
      return ofPage.get(page) <= 2;
    })
    .slice(0, most)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.words, typed) }));
}

/** The words around the first one that was typed. */
function excerptOf(words, typed) {
  const at = typed.map((word) => words.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const from = at.length === 0 ? 0 : Math.max(0, Math.min(...at) - 40);
  const start = from === 0 ? 0 : words.indexOf(' ', from) + 1;
  const text = words.slice(start, start + 130);
  return `${start > 0 ? '… ' : ''}${text}${words.length > start + 130 ? ' …' : ''}`;
}

/** Marks what was typed, without reading any text as markup. */
function marked(text, typed) {
  const pattern = new RegExp(`(${typed.map((word) => word.replace(/\W/g, '\\$&')).join('|')})`, 'gi');
  return text.split(pattern).map((piece, place) => {
    if (place % 2 === 0) return piece;
    const mark = document.createElement('mark');
    mark.textContent = piece;
    return mark;
  });
}

function itemOf({ href, page, part, excerpt }, place, typed) {
  const link = document.createElement('a');
  link.id = `found-${place}`;
  link.role = 'option';
  link.setAttribute('aria-selected', 'false');
  link.href = href;
  link.tabIndex = -1;
  const title = document.createElement('strong');
  title.append(...marked(part === '' ? page : `${page} › ${part}`, typed));
  const words = document.createElement('span');
  words.append(...marked(excerpt, typed));
  link.append(title, words);
  return link;
}

export async function openSearch(box) {
  let chosen = -1;
  const options = () => [...list.children];

  const close = () => {
    list.hidden = true;
    box.setAttribute('aria-expanded', 'false');
    box.removeAttribute('aria-activedescendant');
    chosen = -1;
  };

  const choose = (place) => {
    const all = options();
    if (all.length === 0) return;
    chosen = (place + all.length) % all.length;
    for (const [at, item] of all.entries()) item.setAttribute('aria-selected', String(at === chosen));
    box.setAttribute('aria-activedescendant', all[chosen].id);
    all[chosen].scrollIntoView({ block: 'nearest' });
  };

  let entries;
  const show = () => {
    if (entries === undefined) return;
    if (box.value.trim() === '') {
      count.textContent = '';
      close();
      return;
    }
    const typed = wordsOf(box.value);
    const found = search(entries, box.value);
    list.replaceChildren(...found.map((entry, place) => itemOf(entry, place, typed)));
    list.hidden = found.length === 0;
    box.setAttribute('aria-expanded', String(found.length > 0));
    box.removeAttribute('aria-activedescendant');
    chosen = -1;
    count.textContent =
      found.length === 0
        ? 'Nothing found. Try another word.'
        : found.length === 1
          ? 'One result. Press the down arrow to choose it.'
          : `${found.length} results. Press the down arrow to choose.`;
    count.classList.toggle('unseen', found.length > 0);
  };

  box.addEventListener('input', show);
  box.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (list.hidden) show();
      choose(event.key === 'ArrowDown' ? chosen + 1 : Math.max(chosen, 0) - 1);
    } else if (event.key === 'Enter') {
      const item = options()[Math.max(chosen, 0)];
      if (!list.hidden && item !== undefined) item.click();
    } else if (event.key === 'Escape') {
      // The browser would empty the box at once.
      event.preventDefault();
      if (list.hidden) box.value = '';
      count.textContent = '';
      count.classList.add('unseen');
      close();
    }
  });
  box.addEventListener('focus', show);
  // A link within the page that is open moves nothing else.
  list.addEventListener('click', close);
  document.addEventListener('pointerdown', ({ target }) => {
    if (target.closest('.search') === null) close();
  });
  box.addEventListener('blur', ({ relatedTarget }) => {
    if (relatedTarget === null || relatedTarget.closest('.search') === null) {
      count.classList.add('unseen');
      if (relatedTarget !== null) close();
    }
  });

  try {
    entries = await readEntries();
  } catch {
    count.textContent = 'The search cannot be reached at the moment.';
    count.classList.remove('unseen');
    return;
  }
  show();
}
