import { parseDocument, stringify } from 'yaml';

/** YAML 1.2 (JSON is a part of it) without custom tags, with few aliases. Throws with line and column. */
export function parseYaml(text: string): unknown {
  // 'silent' would also be silent about a second document, and drop it.
  const document = parseDocument(text, { schema: 'core', logLevel: 'error' });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem) throw problem;
  return document.toJS({ maxAliasCount: 100 });
}

export function toYaml(value: unknown): string {
  return stringify(value);
}
