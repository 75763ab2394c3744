// A file of a known publication that has its header and nothing below it: it was cut off, or its publisher failed. Its head
// tells that, so it is found out before anything is read.

import { headBytes, type InputFile, type LeftOut } from './files.ts';
import { FileRefused } from './refusal.ts';
import type { OpenSource, RecognisedFile } from './source.ts';

const lineFeed = 0x0a;

export const headerAlone = ({ name }: InputFile): FileRefused =>
  new FileRefused(
    name,
    'has a header and no rows. It was cut off, or its publisher put out an empty file. Download it again',
  );

/** Throws FileRefused where the source refuses such a file, or was given no other. */
export function withoutHeadersAlone<F extends RecognisedFile>(
  source: OpenSource,
  files: readonly F[],
): { readonly filled: readonly F[]; readonly passedOver: readonly LeftOut[] } {
  const bare = files.filter(({ file }) => isHeaderAlone(file, source));
  const refused = bare.find((given) => source.headerAlone?.(given) === 'refused');
  const passedOver = bare.filter((given) => source.headerAlone?.(given) === 'passed over');
  const filled = files.filter((given) => !passedOver.includes(given));
  const atFault = refused ?? (filled.length === 0 ? passedOver[0] : undefined);
  if (atFault !== undefined) throw headerAlone(atFault.file);
  return {
    filled,
    passedOver: passedOver.map(({ file }) => ({ name: file.name, because: 'it has a header and no rows' })),
  };
}

/** The header is what the source needs to recognise the file. Lines of title may stand above it. */
function isHeaderAlone(file: InputFile, { headerAlone: judged, recognise }: OpenSource): boolean {
  if (judged === undefined || file.form !== 'text' || !isWholeInHead(file.head) || isJson(file.head))
    return false;
  const { head } = file;
  for (let end = 0; end < head.length; ) {
    const at = head.indexOf(lineFeed, end);
    end = at < 0 ? head.length : at + 1;
    if (recognise({ ...file, head: head.subarray(0, end) }) !== undefined)
      return head.subarray(end).toString('latin1').trim() === '';
  }
  return false;
}

const isWholeInHead = (head: Buffer) => head.length < headBytes;

const isJson = (head: Buffer) => /^(\xef\xbb\xbf)?\s*[[{]/.test(head.toString('latin1'));
