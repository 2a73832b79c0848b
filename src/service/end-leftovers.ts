import { readdir, readFile } from 'node:fs/promises';
import { sep } from 'node:path';

/**
 * Ends programs (ffmpeg, a recogniser) that a service killed in the middle of its work has left behind: nobody waits for
 * what they make, and they take the processor from the run that begins again. Found by the work folder in their
 * arguments. Only where there is a /proc; elsewhere they end by themselves. Answers how many there were.
 */
export async function endLeftovers(workRoot: string): Promise<number> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const ended = await Promise.all(pids.map((pid) => endIfLeftOver(pid, workRoot + sep)));
  return ended.filter(Boolean).length;
}

async function endIfLeftOver(pid: string, workPrefix: string): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const args = line.split('\0').map((argument) => argument.replace(/^file:/, ''));
  if (!args.some((argument) => argument.startsWith(workPrefix))) return false;
  try {
    return process.kill(Number(pid), 'SIGKILL');
  } catch {
    return false; // it has ended, or is somebody else's
  }
}
