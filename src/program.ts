import { Command, CommanderError, type CommandUnknownOpts, Help } from '@commander-js/extra-typings';
import { COMMANDS } from './command-table.js';
import { Context } from './context.js';
import { CancelledError, ClipctlError, usageError } from './errors.js';
import { exitCodeOf } from './exit-codes.js';
import { commandWords, GLOBAL_NAMES, isUnknownOption, registerGlobalOptions } from './globals.js';
import { rootHelp } from './root-help.js';
import type { Io } from './terminal/io.js';
import { errorAsJson, errorAsText } from './terminal/report-error.js';
import { safeJson } from './terminal/safe-text.js';
import { loadStyle, wantsColor } from './terminal/style.js';
import { VERSION } from './version.js';

/** Runs a command line that commander has to read. Returns the exit code; errors end here. */
export async function runProgram(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const context = new Context(io, signal);
  let program: Command | undefined;
  try {
    const [wanted] = commandWords(argv);
    if (wanted !== undefined) await checkCommand(wanted, argv);
    program = await buildProgram(context, wanted);
    await checkArguments(argv, program);
    await program.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    return await report(fromCommander(error, argv, program), argv, context);
  } finally {
    await context.close().catch(() => undefined);
  }
}

/**
 * The program with all commands named, and the wanted one (or all) declared. Only what a command line names is
 * loaded, so `--help` and `--version` cost commander alone.
 */
export async function buildProgram(context: Context, wanted: string | 'all' | undefined): Promise<Command> {
  const program = new Command('clipctl');
  program
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'help for a command')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    // Wrapped in narrow terminals too, where commander would leave the cutting to the terminal.
    .configureHelp({ minWidthToWrap: 12, formatItem })
    .configureOutput({
      writeOut: (text) => context.output.raw(text),
      // Of these only the help of a group that was named without a verb.
      writeErr: (text) => context.output.raw(text),
      // commander's own error lines come back as the message of the error it throws.
      outputError: () => undefined,
      getOutHelpWidth: () => Math.min(io(context).columns ?? 80, 100),
    })
    .exitOverride();
  program.helpInformation = () => rootHelp(io(context).columns ?? 80);
  registerGlobalOptions(program as unknown as Command);
  program.hook('preAction', async () => context.begin(program.opts()));
  for (const entry of COMMANDS) {
    const command = program.command(entry.name).summary(entry.summary).description(entry.summary);
    if (wanted === 'all' || wanted === entry.name)
      (await entry.load())(command as unknown as Command, context);
  }
  program.action(() => program.help());
  return program as unknown as Command;
}

/** A term and what it is; where that would have no room beside the term, it stands under it. */
function formatItem(term: string, termWidth: number, about: string, helper: Help): string {
  const columns = helper.helpWidth ?? 80;
  if (about === '' || columns - termWidth >= 24) {
    return Help.prototype.formatItem.call(helper, term, termWidth, about, helper);
  }
  return [
    `  ${term}`,
    ...helper
      .boxWrap(about, columns - 6)
      .split('\n')
      .map((line) => `      ${line}`),
  ].join('\n');
}

function io(context: Context): Io['stdout'] {
  return context.io.stdout;
}

async function checkCommand(wanted: string, argv: readonly string[]): Promise<void> {
  const names = COMMANDS.map(({ name }) => name);
  if (names.includes(wanted)) return;
  const { nearest } = await import('./nearest.js');
  // The word may be the value of an option that is none here.
  const option = argv.slice(0, argv.indexOf(wanted)).find(isUnknownOption);
  if (option !== undefined) {
    const near = nearest(option.split('=')[0] ?? '', GLOBAL_NAMES);
    throw usageError(`unknown option '${option}' before the command`, {
      hint: near
        ? `did you mean ${near}?`
        : 'options of a command come after it; clipctl help lists the global ones',
    });
  }
  const near = nearest(wanted, names);
  throw usageError(`there is no command ${JSON.stringify(wanted)}`, {
    hint: near ? `did you mean ${near}?` : 'clipctl help lists the commands',
  });
}

async function checkArguments(argv: readonly string[], program: Command): Promise<void> {
  const { checkBooleanFlagMisuse } = await import('./preferences/flags.js');
  checkBooleanFlagMisuse([...argv], new Set(valueFlagsOf(program)));
}

/** The flags of a command and those below it that take a value: the next word is theirs, whatever it looks like. */
function valueFlagsOf(command: CommandUnknownOpts): string[] {
  const own = command.options.flatMap(({ required, short, long }) => (required ? [short, long] : []));
  return [...own.filter((flag) => flag !== undefined), ...command.commands.flatMap(valueFlagsOf)];
}

/** Tells the error on stderr, as text or as one JSON line, and returns its exit code. */
async function report(known: unknown, argv: readonly string[], context: Context): Promise<number> {
  if (known === undefined) return 0;
  const cancelled = context.signal.aborted && context.signal.reason instanceof CancelledError;
  const shown = cancelled && !(known instanceof ClipctlError) ? context.signal.reason : known;
  const { stderr, env } = context.io;
  if (wantsJsonErrors(argv, context)) {
    stderr.write(`${safeJson(errorAsJson(shown))}\n`);
  } else {
    const style = await loadStyle(wantsColor(stderr, env, argv.includes('--no-color')));
    stderr.write(
      errorAsText(shown, style, {
        debug: env.CLIPCTL_DEBUG === '1',
        local: argv.includes('--local'),
      }),
    );
  }
  return exitCodeOf(shown);
}

/** Also right when the options could not be read: then the words of the command line decide. */
function wantsJsonErrors(argv: readonly string[], context: Context): boolean {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  if (words.some((word) => word === '--json' || word === '--query' || word.startsWith('--query=')))
    return true;
  if (context.io.env.CLIPCTL_OUTPUT !== undefined) return context.io.env.CLIPCTL_OUTPUT === 'json';
  return context.output.json;
}

/** commander's errors as ours; undefined when it only printed help or the version. */
function fromCommander(error: unknown, argv: readonly string[], program: Command | undefined): unknown {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  const [message = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = /\(Did you mean (.*)\?\)/.exec(rest.join(' '))?.[1];
  const named = ['clipctl help', ...namedCommand(argv, program)].join(' ');
  return usageError(message, {
    hint: suggestion ? `did you mean ${suggestion}?` : `${named} shows what can be given`,
    cause: error,
  });
}

/** The words of a command line that name its command. */
function namedCommand(argv: readonly string[], program: Command | undefined): string[] {
  const names: string[] = [];
  let at = program as CommandUnknownOpts | undefined;
  for (const word of commandWords(argv)) {
    at = at?.commands.find((command) => command.name() === word);
    if (!at) break;
    names.push(word);
  }
  return names;
}
