/**
 * A text in lines of at most `columns`, broken between words and never inside one: a longer word has a line of its
 * own. `indent` stands before every line but the first.
 */
export function wrap(text: string, columns: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const start = lines.length === 0 ? '' : indent;
    if (line !== '' && start.length + line.length + 1 + word.length > columns) {
      lines.push(start + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, (lines.length === 0 ? '' : indent) + line];
}
