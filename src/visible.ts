// What a terminal or a log shows of text that others wrote. A name of a file, of an entry or of a column may hold
// sequences that clear the screen, turn the writing direction or fake a line; they are shown as the escapes that JSON has.

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string) =>
  Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${code}`;
  }).join('');

/** One line, whatever the text. */
export const visible = (text: string): string => text.replace(unseen, escaped);

/** As `visible`, but line feeds stay: for a text of several lines that the program has laid out. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');
