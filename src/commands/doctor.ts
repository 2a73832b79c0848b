import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { ClipctlError, type ErrorKind } from '../errors.js';
import { exitCodeOf } from '../exit-codes.js';
import type { Check } from './doctor-checks.js';
import { addHelp } from './help-text.js';

export function registerDoctor(command: Command, context: Context): void {
  command.action(async () => doctor(context));
  addHelp(command, {
    about:
      'Looks at Node, the config and its modes, base address, DNS, TLS and connection, the key, proxies, the clock,\n' +
      'ffmpeg and SQLite (for the local service), and unfinished uploads. Exit code 0 when nothing failed, else that of\n' +
      'the worst failure: 8 (network, service), 3 (key), 2 (settings).',
    examples: ['doctor', 'doctor --json', '--local doctor'],
    exitCodes: [3, 8],
  });
}

async function doctor(context: Context): Promise<void> {
  const checks = await runChecks(context);
  const failures = checks.filter(({ state }) => state === 'fail');
  await context.output.result({
    json: { ok: failures.length === 0, checks: checks.map(({ kind: _kind, ...shown }) => shown) },
    lines: checks.flatMap(({ name, state, message, fix }) => [
      `${state.padEnd(4)}  ${name}: ${message.replaceAll('\n', '; ')}`,
      ...(fix && state !== 'ok' ? [`      fix: ${fix.replaceAll('\n', '; ')}`] : []),
    ]),
  });
  if (failures.length === 0) return;
  throw new ClipctlError(worstKind(failures), `${failures.length} of ${checks.length} checks failed`, {
    reason: failures.map(({ name }) => name).join(', '),
    hint: 'each failed check above names its fix',
  });
}

async function runChecks(context: Context): Promise<Check[]> {
  const checks = await import('./doctor-checks.js');
  const { io, dirs } = context;
  const stores = [
    checks.checkStore({ name: 'config', dir: dirs.config }),
    checks.checkStore({ name: 'credentials', dir: dirs.config }),
  ];
  // Of a damaged config nothing more can be said.
  const isReadable = stores.every(({ state }) => state !== 'fail');
  const isLocal = isReadable && context.settings.get('local') === true;
  return [
    checks.checkNode(process.versions.node),
    ...stores,
    checks.checkProxy(io.env),
    ...(isReadable ? await serviceChecks(context, isLocal) : []),
    ...(await checks.checkMedia(io.env, isLocal)),
    ...(await checks.checkRecogniser(io.env, isLocal)),
    await checks.checkSqlite(isLocal),
    await checks.checkUploads(context),
  ];
}

async function serviceChecks(context: Context, isLocal: boolean): Promise<Check[]> {
  const checks = await import('./doctor-checks.js');
  if (isLocal) return [await checks.checkLocalService(context)];
  const { check, baseUrl } = checks.checkBaseUrl(context);
  if (baseUrl === undefined) return [check];
  const { hasProxy } = await import('../client/connector.js');
  const dns = await checks.checkDns(baseUrl, hasProxy(context.io.env));
  const connection = await checks.checkConnection(baseUrl, context);
  const isReachable = connection.every(({ state }) => state !== 'fail');
  return [check, dns, ...connection, await checks.checkKeyInUse(baseUrl, context, { isReachable })];
}

/** Network before key before settings: without the first, the others cannot be judged. */
function worstKind(failures: readonly Check[]): ErrorKind {
  const order = [8, 3, 2];
  const kinds = failures.map(({ kind = 'internal' }) => kind);
  const rank = (kind: ErrorKind) => {
    const at = order.indexOf(exitCodeOf(new ClipctlError(kind, '')));
    return at < 0 ? order.length : at;
  };
  return kinds.sort((a, b) => rank(a) - rank(b))[0] ?? 'internal';
}
