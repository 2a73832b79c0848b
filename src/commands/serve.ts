import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { messageOf, usageError } from '../errors.js';
import { findKeyOutsideStore } from '../settings/credentials.js';
import { findDirs } from '../settings/dirs.js';
import { withoutSecrets } from '../without-secrets.js';
import { showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';

const DEFAULT_PORT = 8787;

export function registerServe(command: Command, context: Context): void {
  command
    .option('--port <port>', `port to listen on; 0 takes a free one (${DEFAULT_PORT})`)
    .option('--host <address>', 'address to listen on (127.0.0.1)')
    .option('--data-dir <dir>', 'where uploads, clips and the store live')
    .option('--open', 'open the web page of the service in the browser, also of one that runs already')
    .option('--faults <file>', 'answer with planned faults, for testing a client')
    .option('--collection-quota <n>', 'how many collections there may be (1000)')
    .option('--allow-private-imports', 'let videoUrl point into private networks')
    .action(async (options) => serve(options, context));
  addHelp(command, {
    about:
      'Runs the whole interface on this machine and really makes the clips. stdout has one line, the base address,\n' +
      'once it answers; with --json {"url","apiKey","dataDir","pid"}. SIGTERM and Ctrl-C end it cleanly. Its web page shows\n' +
      'projects, clips and what is scheduled; stderr has the address to open, which is for you alone. E-mails are written\n' +
      'to outbox/mail of the data directory, or sent by the mail server that CLIPCTL_SMTP_URL names.',
    examples: ['serve', 'serve --open', 'serve --port 0 --json', 'serve --data-dir ./service-data'],
  });
}

interface ServeOptions {
  port?: string;
  host?: string;
  dataDir?: string;
  open?: true;
  faults?: string;
  collectionQuota?: string;
  allowPrivateImports?: true;
}

async function serve(options: ServeOptions, context: Context): Promise<void> {
  const { io, notes, output, signal } = context;
  const port = parsePort(options.port);
  const collectionQuota = parseQuota(options.collectionQuota);
  const faults = options.faults === undefined ? undefined : await readFaults(options.faults);
  const dataDir = options.dataDir ?? context.dirs.data;
  if (context.flags.dryRun) {
    notes.note(
      `would serve on ${options.host ?? '127.0.0.1'}, ${port === 0 ? 'a free port' : `port ${port}`}, with its data in ${dataDir}`,
    );
    return showDryRun(context, []);
  }
  if (options.open && (await openRunning(dataDir, context))) return;
  const apiKey = findKeyOutsideStore(context.settings, io.env)?.key;
  const { startService } = await import('../service/start-service.js');
  const service = await startService({
    dataDir,
    host: options.host,
    port,
    apiKey,
    env: io.env,
    collectionQuota,
    allowPrivateImports: options.allowPrivateImports,
    faults,
    log: (line) => notes.tell(line),
  });
  try {
    await output.document({
      url: service.url,
      apiKey: service.apiKey,
      dataDir: service.dataDir,
      pid: service.pid,
    });
    output.lines([service.url]);
    notes.say(`the local service keeps its data in ${service.dataDir}; Ctrl-C ends it`);
    notes.say(`its web page: ${service.pageUrl}`);
    if (options.open) await openInBrowser(service.makePageUrlOnce(), context);
    notes.next(`in another terminal: ${await nextCommand(service.dataDir, context)}`);
    await untilAborted(signal);
  } finally {
    await service.stop();
  }
}

/** What finds this service: `--local` looks in the usual data directory, unless it is told of another. */
async function nextCommand(dataDir: string, { io }: Pick<Context, 'io'>): Promise<string> {
  const { shellQuote } = await import('../preferences/to-flags.js');
  const path = resolve(io.cwd, dataDir);
  const isUsual = path === resolve(io.cwd, findDirs({ ...io.env, CLIPCTL_DATA_DIR: undefined }).data);
  const command = 'clipctl --local upload talk.mp4 --wait --download clips';
  return isUsual ? command : `CLIPCTL_DATA_DIR=${shellQuote(path)} ${command}`;
}

/** Opens the page of the service that runs on the data directory already. Answers false when there is none. */
async function openRunning(dataDir: string, context: Context): Promise<boolean> {
  const { notes, output } = context;
  const { askForVisit, findRunningService } = await import('../service/running-service.js');
  const running = await findRunningService(dataDir);
  if (!running) return false;
  const { url, apiKey, pid } = running;
  const address = await askForVisit(running);
  await output.document({ url, apiKey, dataDir, pid });
  output.lines([url]);
  notes.say(
    `a local service runs on ${dataDir} already, process ${pid}; the other options change nothing of it`,
  );
  notes.say(`its web page, for one visit within a minute: ${address}`);
  await openInBrowser(address, context);
  return true;
}

/**
 * Hands an address to the system's own opener, and does not wait for its end. Other users of the machine can list the
 * arguments of programs, so it should be an address that works once.
 */
async function openInBrowser(address: string, { io, notes }: Pick<Context, 'io' | 'notes'>): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const env = withoutSecrets(io.env);
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true, env });
  child.once('error', (error) =>
    notes.warn(`no browser was opened (${error.message}); open the address yourself`),
  );
  child.once('exit', (code) => {
    if (code) notes.warn(`no browser was opened (${program} ended with ${code}); open the address yourself`);
  });
  child.unref();
  await new Promise((resolve) => child.once('spawn', resolve).once('error', resolve));
}

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

function parsePort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65535) return port;
  throw usageError(`--port ${JSON.stringify(text)} is no port`, {
    hint: 'a number from 0 to 65535; 0 takes a free one',
  });
}

/** Undefined when it is for the service to say. */
function parseQuota(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(`--collection-quota ${JSON.stringify(text)} is no number of collections`, {
    hint: 'a whole number, 0 or more',
  });
}

async function readFaults(path: string) {
  const { readFile } = await import('node:fs/promises');
  const { parseFaultPlan } = await import('../service/faults.js');
  try {
    return parseFaultPlan(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw usageError(`--faults ${path} cannot be used`, { reason: messageOf(error), cause: error });
  }
}

/** SIGTERM and Ctrl-C are the way a service is ended, so they are its success. */
function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
