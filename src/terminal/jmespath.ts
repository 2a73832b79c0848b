import {
  compile as compileExpression,
  type JSONValue,
  search as searchValue,
} from '@jmespath-community/jmespath';

/** The value a JMESPath expression picks. Throws the library's error, which names the place. */
export function search(expression: string, value: unknown): unknown {
  return searchValue(value as JSONValue, expression);
}

/** Throws when the expression does not parse. */
export function compile(expression: string): void {
  compileExpression(expression);
}
