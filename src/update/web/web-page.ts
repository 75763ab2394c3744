// Tells a web page by its beginning. Publishers answer with one, and status 200, where a file is missing, a session is over
// or a firewall objects.

/** So much of a beginning is enough. */
export const beginningBytes = 1024;

export function isWebPage(beginning: Uint8Array): boolean {
  const text = new TextDecoder().decode(beginning.subarray(0, beginningBytes));
  const rest = text.replace(/^(\s|<\?xml[^>]*>|<!--[\s\S]*?-->)+/, '');
  return /^<(!doctype\s+html|html|head|body|title|script|meta)\b/i.test(rest);
}
