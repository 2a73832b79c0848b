import {
  compile as compileExpression,
  type JSONValue,
  search as searchValue,
  TreeInterpreter,
} from '@jmespath-community/jmespath';

/** The value a JMESPath expression picks. Throws the library's error, which names the place. */
export function search(expression: string, value: unknown): unknown {
  return searchValue(value as JSONValue, expression);
}

/** Throws when the expression does not parse, or calls a function as none can be called. */
export function compile(expression: string): void {
  checkCalls(compileExpression(expression));
}

/** The library looks at names and numbers of arguments only when it meets a value. */
function checkCalls(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const { type, name, children } = node as { type?: unknown; name?: unknown; children?: unknown };
  if (type === 'Literal') return;
  if (type === 'Function') checkCall(String(name), Array.isArray(children) ? children.length : 0);
  for (const member of Object.values(node)) checkCalls(member);
}

function checkCall(name: string, given: number): void {
  const table = TreeInterpreter.runtime._functionTable;
  const signature = Object.hasOwn(table, name) ? table[name]?._signature : undefined;
  if (!signature) throw new Error(`there is no function ${name}()`);
  const least = signature.filter(({ optional }) => optional !== true).length;
  const most = signature.at(-1)?.variadic ? Number.POSITIVE_INFINITY : signature.length;
  if (given >= least && given <= most) return;
  throw new Error(`${name}() does not take ${given} argument${given === 1 ? '' : 's'}`);
}
