// Reads what a service sends, up to a size: whoever answers without end is no service we can use.

export class TooLarge extends Error {
  override name = 'TooLarge';
}

/** Counted after decompression. Rejects with TooLarge beyond `bytesMost`, and reads no further. */
export async function readTextUpTo(bytesMost: number, response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMost) throw new TooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
