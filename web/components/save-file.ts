// What a page made itself, saved as a file.

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  const address = URL.createObjectURL(content);
  link.href = address;
  link.download = name;
  link.click();
  // The browser holds the content once the download has begun, which a click does at once.
  setTimeout(() => URL.revokeObjectURL(address));
}

/** "Sales by month, PO33" → "sales-by-month-po33". */
export const fileName = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
