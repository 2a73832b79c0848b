import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * The service bundled once into a script of its own, to be run and killed as a process. The bundle lies inside the
 * repository's node_modules, so that it finds its libraries.
 */
export async function bundleService(): Promise<{ script: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.clipctl-test-'));
  const entry = join(folder, 'entry.ts');
  await writeFile(
    entry,
    `import { startService } from '${join(ROOT, 'src/service/start-service.js')}';
     const options = JSON.parse(process.argv[2] ?? '{}');
     const service = await startService({ ...options, env: process.env, log: () => undefined });
     process.stdout.write(JSON.stringify({ url: service.url, apiKey: service.apiKey }) + '\\n');
     process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)));`,
  );
  const script = join(folder, 'service.mjs');
  await build({
    entryPoints: [entry],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return { script, remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface ServiceProcess {
  url: string;
  apiKey: string;
  child: ChildProcess;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  /** SIGTERM; answers the exit code. */
  end(): Promise<number | null>;
}

export async function runService(script: string, options: object): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8');
  while (!text.includes('\n')) {
    const [chunk] = (await Promise.race([once(child.stdout, 'data'), closed.then(() => [undefined])])) as [
      string | undefined,
    ];
    if (chunk === undefined) throw new Error('the service ended before it answered');
    text += chunk;
  }
  const { url, apiKey } = JSON.parse(text) as { url: string; apiKey: string };
  return {
    url,
    apiKey,
    child,
    async call(method, path, body) {
      const response = await fetch(new URL(path, url), {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.text();
      return { status: response.status, body: answer ? JSON.parse(answer) : undefined };
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    async end() {
      child.kill('SIGTERM');
      const [code] = (await closed) as [number | null];
      return code;
    },
  };
}
