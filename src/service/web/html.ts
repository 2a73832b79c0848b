/** Text that is HTML already: made by `html` alone, so everything else is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/**
 * HTML from a template. Every value is escaped for text and for quoted attributes alike, unless it was made by
 * `html` itself; arrays are joined; null, undefined and false are nothing. Attributes are always written in quotes,
 * and no value is ever put into a script, a style or the name of something: for those escaping would not do.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = parts[0] ?? '';
  values.forEach((value, index) => {
    text += toText(value) + (parts[index + 1] ?? '');
  });
  return new Html(text);
}

function toText(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'object') return value.map(toText).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeHtml(text: string): string {
  // Control characters are no HTML, not even escaped.
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '\ufffd')
    .replace(/[&<>"'`]/g, (letter) => ENTITIES[letter] ?? letter);
}
