/**
 * Text that came from elsewhere (the service, a file name, a key in a file) made safe to show: control characters,
 * escape sequences and direction overrides become visible escapes, so that no answer can move the cursor, set the
 * title or reorder what a person reads. Under `--json` values stay as they came: JSON escapes the control
 * characters itself.
 */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

function escapeChar(char: string): string {
  if (char === '\n') return '\\n';
  if (char === '\r') return '\\r';
  if (char === '\t') return '\\t';
  const code = char.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** One line of safe text: line ends and tabs are escaped too. */
export function safeLine(text: string): string {
  return text.replace(UNSAFE, escapeChar);
}

/** Safe text that keeps its line ends and tabs. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (char) => (char === '\n' || char === '\t' ? char : escapeChar(char)));
}

/**
 * JSON in which those characters are escapes too, so that it can be shown on a terminal. A parser reads the same
 * value: they can only stand inside strings, and JSON.stringify leaves those above U+007E as they are.
 */
export function safeJson(value: unknown, indent = 0): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(UNSAFE, (char) =>
    char === '\n' ? char : escaped(char),
  );
}
