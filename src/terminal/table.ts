import stringWidth from 'string-width';
import { safeLine } from './safe-text.js';

/** Rows of text cells. `header` is shown on a terminal only; a pipe gets TSV without it. */
export interface Table {
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** Columns that are never cut, because people copy what is in them: ids and addresses. The first unless given. */
  whole?: readonly number[];
  /** Rows for a pipe, when they differ (full times instead of relative ones). */
  pipeRows?: readonly (readonly string[])[];
}

/** Cuts a text to a width, with an ellipsis where something went. */
export function fitText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const char of text) {
    const next = stringWidth(char);
    if (used + next > width - 1) break;
    kept += char;
    used += next;
  }
  return `${kept}…`;
}

/** An aligned table with a header on a terminal, TSV in a pipe. */
export function renderTable(table: Table, stream: { isTTY?: boolean; columns?: number }): string {
  if (stream.isTTY !== true) {
    const rows = table.pipeRows ?? table.rows;
    return rows.map((row) => `${row.map(safeLine).join('\t')}\n`).join('');
  }
  if (table.rows.length === 0) return '';
  const rows = [table.header, ...table.rows].map((row) => row.map(safeLine));
  const widths = fitColumns(
    table.header.map((_, index) => Math.max(...rows.map((row) => stringWidth(row[index] ?? '')))),
    stream.columns ?? 80,
    table.whole ?? [0],
  );
  return rows.map((row) => `${alignRow(row, widths)}\n`).join('');
}

function alignRow(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((width, index) => {
    const text = fitText(row[index] ?? '', width);
    return text + ' '.repeat(width - stringWidth(text));
  });
  return cells.join('  ').trimEnd();
}

/** Narrows the widest columns until the row fits, or until only what must stay whole is left. */
function fitColumns(widths: readonly number[], columns: number, whole: readonly number[]): number[] {
  const fitted = [...widths];
  const total = () => fitted.reduce((sum, width) => sum + width, 2 * (fitted.length - 1));
  while (total() > columns) {
    const widest = Math.max(...fitted.filter((_, index) => !whole.includes(index)));
    if (widest <= LEAST_WIDTH) break;
    const at = fitted.findLastIndex((width, index) => width === widest && !whole.includes(index));
    fitted[at] = widest - 1;
  }
  return fitted;
}

const LEAST_WIDTH = 6;
