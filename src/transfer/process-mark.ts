import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errorCode } from '../errors.js';

/**
 * Names one process so that another can tell whether it still runs. A pid alone is not enough: pids are used again,
 * and a state folder may be shared between machines and containers.
 */
export interface ProcessMark {
  pid: number;
  host: string;
  /** Boot and start time of the process where /proc tells them, else ''. */
  started: string;
  /** The pid namespace where there is one, else ''. */
  namespace: string;
}

/** The mark of this process. */
export async function markOfThisProcess(): Promise<ProcessMark> {
  const { pid } = process;
  return { pid, host: hostname(), started: (await startOf(pid)) ?? '', namespace: await pidNamespace() };
}

/** Whether a marked process runs: yes, no, or not to be told from here (another machine or container). */
export async function isRunning(mark: ProcessMark): Promise<'yes' | 'no' | 'unknown'> {
  if (mark.host !== hostname() || mark.namespace !== (await pidNamespace())) return 'unknown';
  if (!pidExists(mark.pid)) return 'no';
  const started = await startOf(mark.pid);
  // The pid runs, but as another process than the one that left the mark.
  if (mark.started !== '' && started !== undefined && started !== mark.started) return 'no';
  return 'yes';
}

/** Reads a mark back; undefined when it is none. */
export function parseMark(text: string): ProcessMark | undefined {
  try {
    const value: Partial<ProcessMark> | null = JSON.parse(text);
    const { pid, host, started, namespace } = value ?? {};
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined;
    if (typeof started !== 'string' || typeof namespace !== 'string') return undefined;
    return { pid, host, started, namespace };
  } catch {
    return undefined;
  }
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as somebody else.
    return errorCode(error) === 'EPERM';
  }
}

const START_TIME_FIELD = 19; // of /proc/<pid>/stat, counted after the closing bracket of the name

async function startOf(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields[START_TIME_FIELD];
    return ticks === undefined ? undefined : `${boot.trim()}:${ticks}`;
  } catch {
    return undefined;
  }
}

async function pidNamespace(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => '');
}
