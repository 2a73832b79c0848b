import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The house's rules, read off the source (see CONTRIBUTING.md). */

const SRC = resolve(import.meta.dirname, '../src');

interface SourceFile {
  path: string;
  text: string;
  lines: number;
  /** Own files it imports, as paths relative to src. */
  own: string[];
  /** The same without `import type`. */
  ownAtRuntime: string[];
  /** Packages it imports. */
  packages: string[];
}

const files: SourceFile[] = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => readSource(join(entry.parentPath, entry.name)));

function readSource(path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const imports = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+(type\s)?'([^']+)'/gm),
  ].map((match) => ({ name: match[2] ?? match[4] ?? '', typeOnly: Boolean(match[1]), lazy: false }));
  const lazy = [...text.matchAll(/import\('([^']+)'\)/g)].map((match) => ({
    name: match[1] ?? '',
    typeOnly: false,
    lazy: true,
  }));
  const all = [...imports, ...lazy];
  const own = (list: typeof all) =>
    list
      .filter(({ name }) => name.startsWith('.') && !name.endsWith('.json'))
      .map(({ name }) => relative(SRC, resolve(dirname(path), name)).replace(/\.js$/, '.ts'));
  return {
    path: relative(SRC, path),
    text,
    lines: text.split('\n').length,
    own: own(all),
    ownAtRuntime: own(all.filter(({ typeOnly, lazy: late }) => !typeOnly && !late)),
    packages: all.map(({ name }) => name).filter((name) => !name.startsWith('.')),
  };
}

const TOP_RANKS: Record<string, number> = {
  'main.ts': 5,
  'cli.ts': 5,
  'program.ts': 5,
  'root-help.ts': 5,
  'command-table.ts': 5,
  'library.ts': 5,
  'context.ts': 3,
  'local-service.ts': 3,
  'globals.ts': 2,
};

function rankOf(path: string): number {
  const folder = path.split('/')[0] ?? '';
  if (!path.includes('/')) return TOP_RANKS[path] ?? 0;
  if (folder === 'commands') return 4;
  return folder === 'api' ? 1 : 2;
}

const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

/** Rank 2 folders that another of rank 2 may use. */
const MAY_USE: Record<string, readonly string[]> = {
  transfer: ['client'],
  terminal: [],
  preferences: ['terminal'],
};

/** The help command shows any command's help, so it asks for the whole program, lazily. */
const LAZY_UPWARD = new Set(['commands/help.ts > program.ts', 'commands/completion.ts > program.ts']);

describe('the house', () => {
  it('has files that import lower ranks and their own folder only', () => {
    const wrong = files.flatMap((file) =>
      file.own
        .filter((target) => !mayImport(file.path, target))
        .map((target) => `${file.path} > ${target}`)
        .filter((edge) => !LAZY_UPWARD.has(edge)),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps client and service apart', () => {
    const meet = files.filter(
      ({ path, own }) =>
        (path.startsWith('service/') &&
          own.some((target) => /^(client|transfer|terminal|settings|commands)\//.test(target))) ||
        (path.startsWith('client/') && own.some((target) => target.startsWith('service/'))),
    );
    expect(meet.map(({ path }) => path)).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(findCycle()).toBeUndefined();
  });

  it('has no file over 400 lines', () => {
    expect(files.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path} ${lines}`)).toEqual([]);
  });

  it('has one importing file for each library', () => {
    const importers = new Map<string, Set<string>>();
    for (const { path, packages } of files) {
      for (const name of packages.filter((known) => !known.startsWith('node:') && !SHARED.has(known))) {
        importers.set(name, (importers.get(name) ?? new Set()).add(path));
      }
    }
    const shared = [...importers].filter(([, paths]) => paths.size > 1);
    expect(shared.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([]);
  });

  it('touches the process only in main.ts and terminal/', () => {
    const touching = files.filter(
      ({ path, text }) =>
        path !== 'main.ts' &&
        !path.startsWith('terminal/') &&
        /\bprocess\.(exit|stdout|stderr|stdin)\b|\bconsole\./.test(withoutComments(text)),
    );
    expect(touching.map(({ path }) => path)).toEqual([]);
  });

  it('loads the contract and the heavy parts lazily from the commands', () => {
    const reached = reachableAtStart('main.ts');
    const heavy = [...reached].filter(
      (path) => /^(service|transfer|client)\//.test(path) || isContract(path),
    );
    expect(heavy).toEqual([]);
  });
});

/** commander's types are named by every command; zod is the contract's language. */
const SHARED = new Set(['@commander-js/extra-typings', 'zod/mini']);

function mayImport(from: string, target: string): boolean {
  if (folderOf(from) !== '' && folderOf(from) === folderOf(target)) return true;
  const [own, other] = [rankOf(from), rankOf(target)];
  if (other < own) return true;
  if (other > own) return false;
  if (folderOf(from) === '' && folderOf(target) === '') return true;
  return MAY_USE[folderOf(from)]?.includes(folderOf(target)) ?? false;
}

const isContract = (path: string) => path.startsWith('api/') && sourceOf(path).packages.includes('zod/mini');

function sourceOf(path: string): SourceFile {
  const found = files.find((file) => file.path === path);
  if (!found) throw new Error(`an import of a file that is not there: ${path}`);
  return found;
}

/** What is loaded with a file, lazy imports left out. */
function reachableAtStart(start: string): Set<string> {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const target of sourceOf(path).ownAtRuntime) visit(target);
  };
  visit(start);
  return seen;
}

function findCycle(): string | undefined {
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path].join(' > ');
    if (done.has(path)) return undefined;
    for (const target of sourceOf(path).ownAtRuntime) {
      const cycle = visit(target, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of files) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return undefined;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
