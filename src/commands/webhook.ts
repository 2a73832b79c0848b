import type { Command } from '@commander-js/extra-typings';
import { type Verdict, verifyDelivery } from '../api/webhook-signature.js';
import type { Context } from '../context.js';
import { ClipctlError, messageOf, usageError } from '../errors.js';
import { isLoopback } from '../settings/base-url.js';
import { credentialName, findKey, findKeyOutsideStore, readStored } from '../settings/credentials.js';
import { addHelp } from './help-text.js';
import type { Delivery, Receiver } from './webhook-receiver.js';

/** Named wherever something is judged by it: the interface document shows header names only. */
const SCHEME =
  "the local service's scheme: hex HMAC-SHA256 with the API key over the body followed by the salt";

const DEFAULT_PORT = 8788;

export function registerWebhook(command: Command, context: Context): void {
  registerListen(command, context);
  const verify = command
    .command('verify')
    .description('check the signature of a delivery whose body is piped in')
    .requiredOption('--signature <hex>', 'value of the header X-Service-Signature')
    .requiredOption('--salt <hex>', 'value of X-Service-Salt')
    .requiredOption('--timestamp <seconds>', 'value of X-Service-Timestamp')
    .action(async (options) => webhookVerify(options, context));
  addHelp(verify, {
    about:
      `Judges by ${SCHEME};\n` +
      'a timestamp more than 5 minutes from now is refused. Prints valid, or fails with exit code 7. The key is the one\n' +
      'in use; nothing is sent.',
    examples: ['webhook verify --signature "$SIG" --salt "$SALT" --timestamp "$TS" < body.json'],
    exitCodes: [3, 7],
  });
}

function registerListen(command: Command, context: Context): void {
  const listen = command
    .command('listen')
    .description('receive conclusion actions on this machine and print them')
    .option('--port <port>', `port to listen on; 0 takes a free one (${DEFAULT_PORT})`)
    .option('--host <address>', 'address to listen on (127.0.0.1)')
    .option('--no-verify', 'show every delivery without judging its signature')
    .option('--forward <url>', 'send each delivery on to this address as it came')
    .option('--once', 'end after the first delivery')
    .option('--wait-timeout <duration>', 'end after this long (exit 9 when --once still waits)')
    .action(async (options) => webhookListen(options, context));
  addHelp(listen, {
    about:
      'Prints a line for each delivery (event, projectId, stage, deliveryId); with --json the whole delivery. Its\n' +
      'address is told on stderr: give it to --notify-webhook. A delivery is taken when its signature is right by\n' +
      `${SCHEME};\n` +
      'one that is unsigned, wrong, older than 5 minutes, sent again or larger than 1 MiB is refused, on stderr.',
    examples: [
      'webhook listen',
      '--local webhook listen --once --json',
      'webhook listen --forward http://127.0.0.1:3000/hooks',
    ],
    exitCodes: [3, 9],
  });
}

interface ListenOptions {
  port?: string;
  host?: string;
  verify: boolean;
  forward?: string;
  once?: true;
  waitTimeout?: string;
}

async function webhookListen(options: ListenOptions, context: Context): Promise<void> {
  const { io, notes } = context;
  const port = parsePort(options.port);
  const host = options.host ?? '127.0.0.1';
  const forwardTo = options.forward === undefined ? undefined : checkForward(options.forward);
  const timeoutMs = await readTimeout(options.waitTimeout);
  const apiKey = options.verify ? await findVerifyKey(context) : undefined;
  const { startReceiver } = await import('./webhook-receiver.js');
  const first = deferred();
  const receiver = await startReceiver({
    host,
    port,
    apiKey,
    now: () => io.now(),
    warn: (text) => notes.warn(text),
    async onDelivery(delivery) {
      const status = forwardTo === undefined ? 204 : await forward(delivery, forwardTo, context);
      if (status >= 200 && status < 300) {
        await printDelivery(delivery, context);
        first.resolve();
      }
      return status;
    },
  });
  sayHello(receiver, options, host, context);
  try {
    await waitForEnd(first.promise, options.once === true, timeoutMs, context);
  } finally {
    await receiver.close();
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function sayHello(receiver: Receiver, { verify }: ListenOptions, host: string, { notes }: Context): void {
  notes.tell(`listening on ${receiver.url}; Ctrl-C ends it`);
  notes.note(verify ? `signatures are judged by ${SCHEME}` : 'signatures are not judged');
  if (!isLoopback(host)) notes.warn(`others on the network can reach ${host}`);
  notes.next(`clipctl upload talk.mp4 --notify-webhook ${receiver.url}`);
}

/** Ctrl-C is the way to end it, so it is a success; with --once it is not: nothing came. */
async function waitForEnd(
  first: Promise<void>,
  once: boolean,
  timeoutMs: number | undefined,
  { signal }: Pick<Context, 'signal'>,
): Promise<void> {
  const ended = deferred();
  const stop = () => ended.resolve();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let isLate = false;
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true;
          stop();
        }, timeoutMs);
  await Promise.race(once ? [first, ended.promise] : [ended.promise]);
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);
  if (!once) return;
  if (signal.aborted) throw signal.reason;
  if (isLate) {
    throw new ClipctlError('unfinished', 'no delivery came in time', {
      hint: 'wait longer with --wait-timeout, or look at the project: clipctl project get <projectId>',
    });
  }
}

async function readTimeout(text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const { parseDurationMs } = await import('../durations.js');
  return parseDurationMs(text, '--wait-timeout');
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw usageError(`--port ${JSON.stringify(text)} is no port`, {
    hint: 'a number from 0 to 65535; 0 takes a free one',
  });
}

function checkForward(text: string): string {
  if (/^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text)) return text;
  throw usageError(`--forward ${JSON.stringify(text)} is not an http(s) address`);
}

/** What is known of a delivery: its body's own members, when it has them. */
async function printDelivery({ rawBody, headers, verdict }: Delivery, context: Context): Promise<void> {
  const text = rawBody.toString('utf8');
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Whatever came is shown as text.
  }
  const members = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const shown = (name: string) => String(members[name] ?? '');
  const cells = ['event', 'projectId', 'stage', 'deliveryId'].map(shown).concat(verdict);
  const received = Object.entries(headers).filter(([name]) => name.startsWith('x-service-'));
  const json = {
    receivedAt: context.io.now().toISOString(),
    verdict,
    headers: Object.fromEntries(received),
    body,
  };
  // A table a delivery would have a header each at a terminal.
  const isTerminal = context.io.stdout.isTTY === true;
  await context.output.result(
    isTerminal
      ? { json, lines: [cells.filter((cell) => cell !== '').join('  ')] }
      : { json, table: { header: [], rows: [cells] } },
  );
}

const FORWARD_TIMEOUT_MS = 10_000;

/** Sends a delivery on, signature and all. What the other side answers is what the service gets to hear. */
async function forward(
  { rawBody, headers }: Delivery,
  url: string,
  { io, notes, signal }: Context,
): Promise<number> {
  const { createConnector } = await import('../client/connector.js');
  const { exchange } = await import('../client/exchange.js');
  const connector = createConnector(io.env);
  const kept = Object.entries(headers).filter(
    ([name]) => name.startsWith('x-service-') || name === 'content-type',
  );
  try {
    const request = {
      method: 'POST',
      url,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      body: rawBody.toString('utf8'),
    };
    const { status } = await exchange(connector, request, {
      timeoutMs: FORWARD_TIMEOUT_MS,
      signal,
      fresh: true,
    });
    notes.say(`forwarded to ${url}: HTTP ${status}`);
    return status;
  } catch (error) {
    notes.warn(`could not be forwarded to ${url}: ${messageOf(error)}`);
    return 502;
  } finally {
    connector.close();
  }
}

/** The key deliveries are signed with: the one in use; the local service's with --local. It is sent nowhere. */
async function findVerifyKey(context: Context): Promise<string> {
  const { settings, io, dirs } = context;
  if (settings.get('local') === true) {
    const { makeDataDir, readApiKey } = await import('../service/data-dir.js');
    return findKeyOutsideStore(settings, io.env)?.key ?? readApiKey(await makeDataDir(dirs.data));
  }
  // Nothing is sent anywhere: a stored key serves, whatever address it was saved for.
  const savedFor = readStored(dirs.config, credentialName(settings))?.baseUrl ?? '';
  const found = findKey(settings, io.env, dirs.config, savedFor);
  if (found) return found.key;
  throw new ClipctlError('auth', 'no API key to judge signatures with', {
    hint: 'log in, set CLIPCTL_API_KEY, or give --api-key-file; with --local the key of the local service is used',
  });
}

const INVALID: Record<Exclude<Verdict, 'valid'>, string> = {
  'header-missing': 'a header is empty, or the timestamp is not a number of seconds',
  'wrong-signature': 'it is not of this key, this salt and this body',
  'too-old': 'the timestamp is more than 5 minutes from now',
};

/** Byte for byte: as text, what is no UTF-8 would change. */
async function readBytes(stdin: Context['io']['stdin']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

interface VerifyOptions {
  signature: string;
  salt: string;
  timestamp: string;
}

async function webhookVerify(options: VerifyOptions, context: Context): Promise<void> {
  const apiKey = await findVerifyKey(context);
  if (context.io.stdin.isTTY) context.notes.say('reading the body from stdin; Ctrl-D ends it');
  const rawBody = await readBytes(context.io.stdin);
  const nowSec = context.io.now().getTime() / 1000;
  const verdict = verifyDelivery({ apiKey, rawBody, ...options, nowSec });
  if (verdict !== 'valid') {
    throw new ClipctlError('rejected', `the signature is not valid: ${verdict}`, {
      reason: `${INVALID[verdict]}\njudged by ${SCHEME}`,
      hint: 'give the body byte for byte as it came, and the key of the account that made the project',
    });
  }
  context.notes.note(`judged by ${SCHEME}`);
  await context.output.result({ json: { verdict, scheme: SCHEME }, lines: [verdict] });
}
