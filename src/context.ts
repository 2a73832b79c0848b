import type { ClipClient } from './client/clip-client.js';
import type { Connector } from './client/connector.js';
import type { TraceEvent } from './client/transport.js';
import { ClipctlError } from './errors.js';
import type { GlobalFlags } from './globals.js';
import { findBaseUrl } from './settings/base-url.js';
import { findKey } from './settings/credentials.js';
import { type Dirs, findDirs } from './settings/dirs.js';
import { Settings } from './settings/settings.js';
import type { Io } from './terminal/io.js';
import { type Loudness, Notes } from './terminal/notes.js';
import { checkQuery, Output } from './terminal/output.js';
import type { Prompts } from './terminal/prompts.js';
import { loadStyle, wantsColor } from './terminal/style.js';

/** The way to a service: the client, and what transfers need beside it. */
export interface Connection {
  api: ClipClient;
  connector: Connector;
  baseUrl: string;
  /** Where the key is from. */
  keyFrom: string;
  /** Tells accounts apart in journals, without holding the key. */
  accountKey(): Promise<string>;
  /** The local service was started for this command and ends with it. */
  embedded: boolean;
}

type UsedService = Pick<Connection, 'baseUrl' | 'keyFrom' | 'embedded'> & { apiKey: string };

/**
 * What a command may use, made when it is first asked for. A verb's register function takes two to four things of
 * it and hands them to the function that does the work.
 */
export class Context {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly dirs: Dirs;
  flags: GlobalFlags = {};
  readonly #closers: (() => Promise<void>)[] = [];
  #settings: Settings | undefined;
  #output: Output | undefined;
  #notes: Notes | undefined;
  #connection: Promise<Connection> | undefined;

  constructor(io: Io, signal: AbortSignal) {
    this.io = io;
    this.signal = signal;
    this.dirs = findDirs(io.env);
  }

  /** Called once the global options are known, before the command's work. */
  async begin(flags: GlobalFlags): Promise<void> {
    this.flags = flags;
    this.#settings = undefined;
    await checkQuery(flags.query);
    this.#output = new Output(this.io, {
      json: this.settings.get('output') === 'json',
      query: flags.query,
    });
    const color = wantsColor(this.io.stderr, this.io.env, flags.color === false);
    this.#notes = new Notes(this.io, {
      loudness: this.#loudness(),
      style: await loadStyle(color),
      local: flags.local === true,
    });
  }

  get settings(): Settings {
    const { profile, baseUrl, apiKeyFile, local, json, input, timeout, retries } = this.flags;
    const flags = {
      profile,
      base_url: baseUrl,
      api_key_file: apiKeyFile,
      local,
      output: json ? 'json' : undefined,
      no_input: input === false ? true : undefined,
      timeout,
      retries,
    };
    this.#settings ??= new Settings({ flags, env: this.io.env, configDir: this.dirs.config });
    return this.#settings;
  }

  get output(): Output {
    this.#output ??= new Output(this.io, { json: false });
    return this.#output;
  }

  get notes(): Notes {
    if (!this.#notes) throw new Error('notes were asked for before the options were read');
    return this.#notes;
  }

  /** Whether a person can be asked (cli.md, principle 7). */
  get canAsk(): boolean {
    const { io, flags } = this;
    return (
      io.stdin.isTTY === true &&
      io.stderr.isTTY === true &&
      !io.env.CI &&
      !this.settings.get('no_input') &&
      !this.output.json &&
      flags.quiet !== true &&
      flags.dryRun !== true
    );
  }

  async prompts(): Promise<Prompts> {
    const { createPrompts } = await import('./terminal/inquirer-prompts.js');
    return createPrompts(this.io, this.signal);
  }

  /** A confirmation is asked only of a person; `--yes` and scripts go on. */
  async confirm(message: string): Promise<boolean> {
    if (this.flags.yes || !this.canAsk) return true;
    return (await this.prompts()).confirm({ message, default: false });
  }

  /** The base address a dry run shows: no key and no network are needed for it. */
  get shownBaseUrl(): string {
    if (this.#usesLocal()) return 'http://127.0.0.1:8787';
    return this.settings.get('base_url') === null ? '{base_url}' : findBaseUrl(this.settings);
  }

  /** Throws what `connect` would for want of an address or a key, before a person is asked anything. */
  assertAccount(): void {
    if (!this.flags.dryRun && !this.#usesLocal()) this.#accountService();
  }

  /** The client for the service in use; with `--local` the service is started when none runs. */
  connect(): Promise<Connection> {
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const { apiKey, ...service } = await this.#findService();
    const client = await this.makeClient(service.baseUrl, apiKey);
    return { ...client, ...service, accountKey: () => hashAccount(service.baseUrl, apiKey) };
  }

  /** The client for an address and a key, which need not be those in use: a login tries them first. */
  async makeClient(baseUrl: string, apiKey: string): Promise<Pick<Connection, 'api' | 'connector'>> {
    const { createConnector } = await import('./client/connector.js');
    const { ClipClient } = await import('./client/clip-client.js');
    const connector = createConnector(this.io.env);
    this.#closers.push(async () => connector.close());
    const { settings } = this;
    const api = new ClipClient({
      baseUrl,
      apiKey,
      connector,
      timeoutMs: settings.get('timeout') ?? 60_000,
      retries: settings.get('retries') ?? 4,
      signal: this.signal,
      trace: await this.#tracer(),
      endpoints: {
        projectGet: settings.get('endpoints.project-get') ?? undefined,
        clipList: settings.get('endpoints.clip-list') ?? undefined,
        copyGet: settings.get('endpoints.copy-get') ?? undefined,
        accountsQuery: settings.get('compat.accounts_query') ?? undefined,
      },
    });
    return { api, connector };
  }

  async #findService(): Promise<UsedService> {
    return this.#usesLocal() ? this.#localService() : this.#accountService();
  }

  #accountService(): UsedService {
    const baseUrl = findBaseUrl(this.settings);
    const found = findKey(this.settings, this.io.env, this.dirs.config, baseUrl);
    if (found) return { baseUrl, apiKey: found.key, keyFrom: found.from, embedded: false };
    throw new ClipctlError('auth', `no API key for ${baseUrl}`, {
      hint: `clipctl auth login --base-url ${baseUrl}\nor set CLIPCTL_API_KEY, or give --api-key-file\nwithout an account: --local`,
    });
  }

  #usesLocal(): boolean {
    if (!this.settings.get('local')) return false;
    if (this.flags.baseUrl === undefined) return true;
    throw new ClipctlError('usage', '--local and --base-url exclude each other', {
      hint: 'give only one of them',
    });
  }

  async #localService(): Promise<UsedService> {
    const { useLocalService } = await import('./local-service.js');
    const { close, ...service } = await useLocalService({
      dataDir: this.dirs.data,
      env: this.io.env,
      notes: this.notes,
    });
    this.#closers.push(close);
    return { ...service, keyFrom: 'the local service' };
  }

  async #tracer(): Promise<((event: TraceEvent) => void) | undefined> {
    const { notes } = this;
    if (notes.loudness !== 'verbose' && notes.loudness !== 'debug') return undefined;
    const { traceDetails, traceLine } = await import('./client/trace.js');
    return (event) => {
      const line = traceLine(event);
      if (line !== undefined) notes.trace(line);
      if (notes.loudness === 'debug') notes.debug(traceDetails(event) ?? '');
    };
  }

  #loudness(): Loudness {
    if (this.flags.quiet) return 'quiet';
    if (this.io.env.CLIPCTL_DEBUG === '1') return 'debug';
    if (this.flags.verbose) return 'verbose';
    return this.output.json && this.io.stderr.isTTY !== true ? 'terse' : 'normal';
  }

  /** Ends what was started, last first. */
  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    this.#closers.length = 0;
  }
}

async function hashAccount(baseUrl: string, apiKey: string): Promise<string> {
  const { accountKeyOf } = await import('./client/account-key.js');
  return accountKeyOf(baseUrl, apiKey);
}
