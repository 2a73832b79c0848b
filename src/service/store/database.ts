import { open } from 'node:fs/promises';
import { ClipctlError } from '../../errors.js';

export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/** SQLite as the store uses it: synchronous, statements kept, one transaction at a time. */
export interface Database {
  /** Runs SQL that has no parameters and no rows. */
  exec(sql: string): void;
  run(sql: string, ...values: SqlValue[]): { changes: number };
  get(sql: string, ...values: SqlValue[]): Row | undefined;
  all(sql: string, ...values: SqlValue[]): Row[];
  /** Everything in `work` or nothing. May be nested: only the outermost commits. */
  transaction<T>(work: () => T): T;
  close(): void;
}

interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint };
  all(...values: SqlValue[]): unknown[];
}
interface Driver {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** Opens the store's file: WAL, every commit synced to the disk, references enforced. */
export async function openDatabase(path: string): Promise<Database> {
  await keepPrivate(path);
  const driver = await openDriver(path);
  driver.exec('PRAGMA busy_timeout = 5000');
  driver.prepare('PRAGMA journal_mode = WAL').all();
  driver.exec('PRAGMA synchronous = FULL');
  driver.exec('PRAGMA foreign_keys = ON');
  return wrapDriver(driver);
}

/** It holds tokens that are permissions. SQLite gives the files beside it the same mode. */
async function keepPrivate(path: string): Promise<void> {
  if (path === ':memory:') return;
  const handle = await open(path, 'a', 0o600);
  try {
    await handle.chmod(0o600);
  } finally {
    await handle.close();
  }
}

/**
 * Takes a lock that the system itself lets go of when the process ends, however it ends: an exclusive transaction
 * on a file of its own. Returns undefined when somebody else holds it.
 */
export async function takeLock(path: string): Promise<{ release(): void } | undefined> {
  const driver = await openDriver(path);
  try {
    driver.exec('PRAGMA busy_timeout = 0');
    driver.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    driver.close();
    if (/busy|locked/i.test(String(error))) return undefined;
    throw error;
  }
  return { release: () => driver.close() };
}

function wrapDriver(driver: Driver): Database {
  const statements = new Map<string, Statement>();
  let depth = 0;
  const prepare = (sql: string): Statement => {
    const known = statements.get(sql);
    if (known) return known;
    const made = driver.prepare(sql);
    statements.set(sql, made);
    return made;
  };
  // `all` for single rows too: libsql's `get` adds a member of its own and keeps the statement open.
  const all = (sql: string, values: SqlValue[]) => prepare(sql).all(...values) as Row[];
  return {
    exec: (sql) => driver.exec(sql),
    run: (sql, ...values) => ({ changes: Number(prepare(sql).run(...values).changes) }),
    get: (sql, ...values) => all(sql, values)[0],
    all: (sql, ...values) => all(sql, values),
    transaction(work) {
      if (depth === 0) driver.exec('BEGIN IMMEDIATE');
      depth += 1;
      try {
        const result = work();
        depth -= 1;
        if (depth === 0) driver.exec('COMMIT');
        return result;
      } catch (error) {
        if (depth > 0) depth -= 1;
        if (depth === 0) rollBack(driver);
        throw error;
      }
    },
    close() {
      statements.clear();
      driver.close();
    },
  };
}

function rollBack(driver: Driver): void {
  try {
    driver.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself (disk full, input/output error); the first error is the one to tell
  }
}

async function openDriver(path: string): Promise<Driver> {
  const builtIn = await loadBuiltIn();
  if (builtIn) return new builtIn.DatabaseSync(path);
  const { default: Libsql } = await loadLibsql();
  const database = new Libsql(path);
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    prepare: (sql) => database.prepare<SqlValue[]>(sql),
    close: () => {
      database.close();
    },
  };
}

/** node:sqlite, from Node 22.13 on. The name is a variable because the types of Node 20 do not know it. */
async function loadBuiltIn(): Promise<{ DatabaseSync: new (path: string) => Driver } | undefined> {
  const name: string = 'node:sqlite';
  const emitWarning = process.emitWarning;
  // The module warns that it is experimental once, while it loads. Nothing else may warn in between: it is
  // loaded synchronously inside this import, and the function is put back whatever happens.
  process.emitWarning = () => undefined;
  try {
    return (await import(name)) as { DatabaseSync: new (path: string) => Driver };
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

async function loadLibsql() {
  try {
    return await import('libsql');
  } catch (error) {
    throw new ClipctlError('service', 'the local service needs SQLite', {
      hint: 'use Node 22.13 or newer, or: npm install libsql',
      cause: error,
    });
  }
}
