// The form of an endpoint's page: sends the call to this same service, shows what came back, and writes it as curl.
// The page reads without this file. The public sandbox key stands in the page; a key of the reader's own lives in
// sessionStorage, so that closing the tab forgets it, and is never written into an address or a curl line.

const storedAs = 'domesday-key';
const keyInput = document.querySelector('#key');
// Absent where the service has no public key.
const keyChoice = document.querySelector('#key-choice');
const forms = [...document.querySelectorAll('form.try')];

// The key

function readStoredKey() {
  try {
    return sessionStorage.getItem(storedAs) ?? '';
  } catch {
    return ''; // Storage can be switched off; the field itself is memory enough.
  }
}

function storeKey(key) {
  try {
    sessionStorage.setItem(storedAs, key);
  } catch {
    // As above.
  }
}

let ownKey = readStoredKey();
const isPublicChosen = () => keyChoice?.value === 'public';
const currentKey = () => (isPublicChosen() ? keyChoice.dataset.publicKey : ownKey);
/** Which examples this key is answered. */
const currentSet = () => (/^dd_(live|pub)_/.test(currentKey()) ? 'live' : 'sandbox');

function keyState({ dataset }) {
  const key = currentKey();
  const credits = Number(dataset.credits);
  if (isPublicChosen()) return { words: 'Public sandbox key: free.', costs: false };
  if (key === '') return { words: 'No key yet: put yours into the field above.', costs: false };
  if (key.startsWith('dd_test_')) return { words: 'Test key: free.', costs: false };
  if (key.startsWith('dd_pub_'))
    return { words: 'Publishable key: answers pages of its own origins, not this one.', costs: false };
  if (!key.startsWith('dd_live_')) return { words: 'This does not look like a key.', costs: false };
  const noExample =
    dataset.liveExample === 'none' ? ' No list of homes comes with the service: name one you know.' : '';
  if (credits === 0) return { words: `Live key: this call is free.${noExample}`, costs: false };
  const price = `${credits} credit${credits === 1 ? '' : 's'}`;
  return { words: `Live key: a success costs ${price}.${noExample}`, costs: true };
}

function showKey() {
  const isPublic = isPublicChosen();
  keyInput.closest('.own-key').hidden = isPublic;
  keyInput.value = isPublic ? '' : ownKey;
  keyInput.type = 'password';
  keyShow.setAttribute('aria-pressed', 'false');
}

/** Examples follow the key, except where the reader has typed something else. */
let shownSet = 'sandbox';
function showKeyState() {
  const set = currentSet();
  for (const form of forms) {
    const { words, costs } = keyState(form);
    const line = form.querySelector('.key-state');
    line.textContent = words;
    line.classList.toggle('costs', costs);
    form.querySelector('.outcome-choice').hidden = set === 'live';
    const fill = form.querySelector('.fill');
    if (fill !== null) fill.hidden = set === 'live' && form.dataset.liveExample === 'none';
    const fields = [...form.querySelectorAll('[name]')];
    if (set !== shownSet && fields.every(({ value, dataset }) => value === dataset[shownSet])) {
      for (const field of fields) field.value = field.dataset[set];
    }
    showCurl(form);
  }
  shownSet = set;
}

const keyShow = document.querySelector('#key-show');
keyChoice?.addEventListener('change', () => {
  showKey();
  showKeyState();
  if (!isPublicChosen() && ownKey === '') keyInput.focus();
});
keyInput.addEventListener('input', () => {
  ownKey = keyInput.value.trim();
  storeKey(ownKey);
  showKeyState();
});
keyShow.addEventListener('click', () => {
  const isShown = keyInput.type === 'text';
  keyInput.type = isShown ? 'password' : 'text';
  keyShow.setAttribute('aria-pressed', String(!isShown));
});

// One form

function callOf(form) {
  const { method, path } = form.dataset;
  const filled = [...form.querySelectorAll('[name]')].filter(({ value }) => value !== '');
  const params = filled.map(({ name, value }) => [name, value]);
  const query = new URLSearchParams(method === 'GET' ? params : []);
  return {
    method,
    target: `${path}${query.size === 0 ? '' : `?${query}`}`,
    // The service reads a number or a truth value from its text too.
    body: method === 'GET' ? undefined : JSON.stringify(Object.fromEntries(params)),
    outcome: currentSet() === 'live' ? '' : form.querySelector('.outcome').value,
  };
}

function showCurl(form) {
  const { target, body, outcome } = callOf(form);
  const sandbox = outcome === '' ? [] : [`-H 'X-Sandbox-Outcome: ${outcome}'`];
  const json =
    body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${body.replaceAll("'", '\\u0027')}'`];
  const code = form.querySelector('.curl code');
  const key = isPublicChosen() ? `'X-API-Key: ${currentKey()}'` : '"X-API-Key: $DOMESDAY_KEY"';
  const origin = code.dataset.publicUrl ?? location.origin;
  code.textContent = [`curl '${origin}${target}'`, `-H ${key}`, ...sandbox, ...json].join(' \\\n  ');
}

async function send(form) {
  const { method, target, body: sent, outcome } = callOf(form);
  const headers = new Headers();
  const line = form.querySelector('.outcome-line');
  const button = form.querySelector('button[type=submit]');
  line.className = 'outcome-line';
  line.textContent = 'Sending…';
  button.disabled = true;
  try {
    if (currentKey() !== '') headers.set('X-API-Key', currentKey());
    if (outcome !== '') headers.set('X-Sandbox-Outcome', outcome);
    if (sent !== undefined) headers.set('Content-Type', 'application/json');
    const startedMs = performance.now();
    const reply = await fetch(`${location.origin}${target}`, {
      method,
      headers,
      body: sent,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    });
    const body = await reply.text();
    const tookMs = Math.round(performance.now() - startedMs);
    line.classList.add(reply.ok ? 'good' : 'bad');
    line.textContent = `${reply.status} ${reply.statusText} · ${tookMs} ms`;
    const code = errorCodeOf(body);
    if (code !== undefined) line.append(' · ', linkToCode(code));
    showReply(form.querySelector('.reply'), reply, body);
  } catch (fault) {
    form.querySelector('.reply').hidden = true;
    line.classList.add('bad');
    line.textContent = `The call could not be made: ${fault instanceof Error ? fault.message : fault}`;
  } finally {
    button.disabled = false;
  }
}

function errorCodeOf(body) {
  try {
    return JSON.parse(body).error?.code;
  } catch {
    return undefined; // No JSON, so no code.
  }
}

function linkToCode(code) {
  const link = document.createElement('a');
  link.href = `/docs/errors/${encodeURIComponent(code)}`;
  link.textContent = code;
  return link;
}

function showReply(box, reply, body) {
  const rows = [...reply.headers].map(([name, value]) => {
    const row = document.createElement('tr');
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    const cell = document.createElement('td');
    cell.textContent = value;
    row.append(head, cell);
    return row;
  });
  box.querySelector('tbody').replaceChildren(...rows);
  box.querySelector('summary').textContent = `Headers (${rows.length})`;
  box.querySelector('pre code').replaceChildren(...colouredJson(prettyJson(body)));
  box.hidden = false;
}

function prettyJson(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body; // Not JSON: shown as it came.
  }
}

/** The same colours as the server gives to its examples. */
function colouredJson(json) {
  const nodes = [];
  let end = 0;
  for (const { 0: token, index } of json.matchAll(
    /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g,
  )) {
    const after = index + token.length;
    const span = document.createElement('span');
    span.className = `json-${token[0] !== '"' ? 'value' : json[after] === ':' ? 'name' : 'text'}`;
    span.textContent = token;
    nodes.push(json.slice(end, index), span);
    end = after;
  }
  nodes.push(json.slice(end));
  return nodes;
}

for (const form of forms) {
  form.addEventListener('input', () => showCurl(form));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    showCurl(form);
    send(form);
  });
  form.querySelector('.fill')?.addEventListener('click', () => {
    for (const field of form.querySelectorAll('[name]')) field.value = field.dataset[currentSet()];
    showCurl(form);
  });
}

// A browser that comes back to the page may put typed words and the choice back.
if (keyChoice !== null) keyChoice.value = ownKey === '' ? 'public' : 'own';
showKey();
showKeyState();
