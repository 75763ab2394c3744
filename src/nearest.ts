// Which known word somebody meant who typed another one.

/** Undefined where no word is near enough: a quarter of its letters may differ, two neighbours that changed places counting
 *  as one. */
export function nearestTo(typed: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, slips: slipsOf(typed.toLowerCase(), word.toLowerCase(), slipsMost(word)) }))
    .filter(({ slips }) => slips !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.slips - b.slips);
  return ranked[0]?.word;
}

/** Of one or two letters, another letter makes another word. */
const slipsMost = ({ length }: string): number => (length < 3 ? 0 : Math.max(1, Math.floor(length / 4)));

/** How many slips of typing lead from one text to the other; infinitely many where that is more than `most`. */
function slipsOf(typed: string, word: string, most: number): number {
  if (most < 0) return Number.POSITIVE_INFINITY;
  if (typed === '' || word === '') {
    const slips = typed.length + word.length;
    return slips <= most ? slips : Number.POSITIVE_INFINITY;
  }
  if (typed[0] === word[0]) return slipsOf(typed.slice(1), word.slice(1), most);
  const isSwapped = typed.length > 1 && typed[0] === word[1] && typed[1] === word[0];
  const after = (inTyped: number, inWord: number) =>
    1 + slipsOf(typed.slice(inTyped), word.slice(inWord), most - 1);
  return Math.min(after(1, 0), after(0, 1), after(1, 1), isSwapped ? after(2, 2) : Number.POSITIVE_INFINITY);
}
