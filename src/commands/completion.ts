import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { nearest } from '../nearest.js';
import { safeLine } from '../terminal/safe-text.js';
import type { Proposal } from './completion-values.js';
import { addHelp } from './help-text.js';

export function registerCompletion(command: Command, context: Context): void {
  command
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .argument('[request...]')
    .usage('<bash|zsh|fish|powershell>')
    .action(async (shell, request) => completion(shell, request, context));
  addHelp(command, {
    about:
      'Prints a script that completes commands, flags and their values: genres, presets, profiles, settings, and ids\n' +
      'of the history. It never uses the network.\n\n' +
      'For good:\n' +
      "  bash        echo 'source <(clipctl completion bash)' >> ~/.bashrc\n" +
      "  zsh         echo 'source <(clipctl completion zsh)' >> ~/.zshrc   (after compinit)\n" +
      '  fish        clipctl completion fish > ~/.config/fish/completions/clipctl.fish\n' +
      '  powershell  clipctl completion powershell | Out-String | Invoke-Expression   (in $PROFILE)',
    examples: ['completion bash', 'completion zsh > _clipctl'],
  });
}

/** The script; or, when a script asks (`complete -- <words…>`), proposals for the last of the words. */
async function completion(shell: string, request: readonly string[], context: Context): Promise<void> {
  const { completionScript, SHELLS } = await import('../terminal/completion-scripts.js');
  const known = SHELLS.find((name) => name === shell);
  if (!known) {
    const near = nearest(shell, SHELLS);
    throw usageError(`${JSON.stringify(shell)} is not one of ${SHELLS.join(', ')}`, {
      hint: near ? `did you mean ${near}?` : undefined,
    });
  }
  const [asked, ...words] = request;
  if (asked === undefined) return context.output.raw(completionScript(known));
  if (asked !== 'complete') throw usageError(`${JSON.stringify(asked)} is one word too many`);
  const typed = known === 'bash' ? joinAtEquals(words) : words;
  context.output.raw(printProposals(await propose(typed, context), typed.at(-1) ?? '', known === 'zsh'));
}

/** bash gives `--genre=Pod` as three words. */
function joinAtEquals(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last?.startsWith('-') && (word === '=' || last.endsWith('=')))
      joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}

const NO_FILES = 4;

function printProposals(proposals: Proposal[] | 'files', current: string, escaped: boolean): string {
  if (proposals === 'files') return ':0\n';
  const start = unquoted(current.startsWith('-') ? current.replace(/^--[^=]*=/, '') : current);
  const lines = proposals
    .filter(({ value }) => value.toLowerCase().startsWith(start.toLowerCase()))
    .map(({ value, about }) => {
      // zsh's _describe takes one of the two backslashes for itself.
      const word = escaped ? value.replace(/[^\w@%+=:,./-]/g, '\\\\$&') : value;
      return about === undefined ? word : `${word}\t${safeLine(about)}`;
    });
  return `${lines.join('\n')}${lines.length > 0 ? '\n' : ''}:${NO_FILES}\n`;
}

function unquoted(word: string): string {
  return word.replace(/^["']/, '').replace(/\\(.)/g, '$1');
}

/** What may come at the last of the words. */
async function propose(words: readonly string[], context: Context): Promise<Proposal[] | 'files'> {
  const { commandWords } = await import('../globals.js');
  const { buildProgram } = await import('../program.js');
  const { valuesOfArgument, valuesOfOption } = await import('./completion-values.js');
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const [wanted] = commandWords(before);
  const program = await buildProgram(context, wanted);
  const place = walk(program as unknown as CommandUnknownOpts, before);
  if (place.valueOf !== undefined) return valuesOfOption(place.valueOf, context);
  const inline = place.onlyWords ? null : /^(--[^=]+)=/.exec(current);
  if (inline?.[1]) return valuesOfOption(inline[1], context);
  if (current.startsWith('-') && !place.onlyWords) return flagsOf(place.chain, current);
  const { commands } = place.command;
  const subcommands =
    place.words.length > 0
      ? []
      : commands.filter((known) => known.name() !== 'help' || place.chain.length === 1);
  const path = place.chain.slice(1).map((each) => each.name());
  if (path[0] === 'help') return helpWords(program as unknown as CommandUnknownOpts, place.words, context);
  const values = path.length > 0 ? await valuesOfArgument(path.join(' '), place.words.length, context) : [];
  if (values === 'files') return values;
  return [...subcommands.map((known) => ({ value: known.name(), about: known.description() })), ...values];
}

async function helpWords(
  program: CommandUnknownOpts,
  words: readonly string[],
  context: Context,
): Promise<Proposal[]> {
  if (words.length > 0) return [];
  const { valuesOfArgument } = await import('./completion-values.js');
  const topics = await valuesOfArgument('help', 0, context);
  const commands = program.commands.map((known) => ({ value: known.name(), about: known.description() }));
  return [...commands, ...(topics === 'files' ? [] : topics)];
}

interface Place {
  command: CommandUnknownOpts;
  /** The program, and down to the command. */
  chain: CommandUnknownOpts[];
  /** The command's arguments so far. */
  words: string[];
  /** The long form of an option that waits for its value. */
  valueOf: string | undefined;
  /** After `--`. */
  onlyWords: boolean;
}

/** Where in the program a command line has got to. */
function walk(program: CommandUnknownOpts, before: readonly string[]): Place {
  const place: Place = {
    command: program,
    chain: [program],
    words: [],
    valueOf: undefined,
    onlyWords: false,
  };
  for (const word of before) {
    if (place.valueOf !== undefined) place.valueOf = undefined;
    else if (place.onlyWords) place.words.push(word);
    else if (word === '--') place.onlyWords = true;
    else if (word.startsWith('-')) place.valueOf = waitsForValue(place.chain, word);
    else {
      const next = place.words.length === 0 && place.command.commands.find((known) => known.name() === word);
      if (next) {
        place.command = next;
        place.chain.push(next);
      } else place.words.push(word);
    }
  }
  return place;
}

function waitsForValue(chain: readonly CommandUnknownOpts[], word: string): string | undefined {
  for (const command of chain) {
    const option = command.options.find(({ long, short }) => long === word || short === word);
    if (option?.required) return option.long ?? word;
  }
  return undefined;
}

/** `--no-…` forms only to those who ask for them: they would double the list. */
function flagsOf(chain: readonly CommandUnknownOpts[], current: string): Proposal[] {
  return [...chain]
    .reverse()
    .flatMap((command) =>
      command.options
        .filter(({ hidden }) => !hidden || current.startsWith('--no'))
        .map(({ long, short, description }) => ({ value: long ?? short ?? '', about: description })),
    );
}
