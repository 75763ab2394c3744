// Keys never reach the log, in whatever way a caller has written them.

/** Of every kind, also of those that only a later version makes; in letters of any size, since a proxy may change them. */
const anyKey = /dd_([a-z]+)_\w+/gi;

/** One level of percent-encoding, where it is valid; what is not stays. */
const decodeOnce = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Text of our own, which may repeat what a caller sent. */
export function strikeKeys(text: string): string {
  // An encoded key has no end that could be found for certain, so what stands around it goes with it.
  const isHidden = text.includes('%') && holdsKey(text);
  const plain = isHidden ? text.replaceAll(/[^\s"]*%[^\s"]*/g, '…') : text;
  return plain.replaceAll(anyKey, 'dd_$1_…');
}

function holdsKey(text: string): boolean {
  let plain = text;
  for (let last = ''; last !== plain; plain = decodeOnce(plain)) {
    if (plain.search(anyKey) !== -1) return true;
    last = plain;
  }
  return false;
}

/** Of a path that we have: short, and without signs that could hide something. */
const plainSegment = /^(?!.*dd_)[\w.-]{0,30}$/i;
const segmentsMost = 8;

/** A path that is not one of ours may hold anything; only its plain and short segments are shown. */
export function loggablePath(path: string): string {
  const segments = path.split('/', segmentsMost + 1);
  return segments
    .map((segment, at) => (at < segmentsMost && plainSegment.test(segment) ? segment : '…'))
    .join('/');
}

/** A name that a caller gives its request is logged: it may hold no key, not even encoded. */
export function mayBeLogged(requestId: string): boolean {
  const forms = [requestId];
  for (const encoding of ['base64', 'hex'] as const) {
    // The text before the key shifts its base64 by up to two signs of a group.
    for (let start = 0; start < 4; start += 1) {
      forms.push(Buffer.from(requestId.slice(start), encoding).toString('latin1'));
    }
  }
  return !forms.some(holdsKey);
}
