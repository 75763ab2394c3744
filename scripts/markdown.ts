// What the generated documents have in common in their Markdown.

export type Lines = readonly string[];

export function markdownTable(head: Lines, rows: readonly Lines[]): Lines {
  const line = (cells: Lines) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)];
}
