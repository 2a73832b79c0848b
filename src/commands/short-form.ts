import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { usageError } from '../errors.js';
import { nearest } from '../nearest.js';

/**
 * For the verb of a group that may be left away, which the group's help says. What follows the group then stands where
 * a verb could: a word that is no full id and close to a verb is a typing error, not a clip, however many words come
 * after it.
 */
export function guardShortForm(command: CommandUnknownOpts): void {
  command.parent?.addHelpText('after', `\n${shortFormOf(command)}`);
  command.allowExcessArguments().hook('preAction', () => {
    refuseMistypedVerb(command);
    const takes = command.registeredArguments;
    if (command.args.length <= takes.length || takes.at(-1)?.variadic) return;
    throw usageError(`too many arguments for ${nameOf(command)}: ${command.args.join(' ')}`, {
      hint: `clipctl help ${nameOf(command)} shows what it takes`,
    });
  });
}

function refuseMistypedVerb(command: CommandUnknownOpts): void {
  const group = command.parent;
  // The verb was typed out: then what follows is meant as it is.
  if (!group || group.args[0] === command.name()) return;
  const verbs = group.commands.map((known) => known.name());
  for (const word of command.args) {
    if (word.includes('.') || word === '-') continue;
    const near = nearest(word, verbs);
    if (near === undefined) continue;
    const meant = `did you mean clipctl ${group.name()} ${near}?`;
    const takesClips = command.registeredArguments.length > 0;
    throw usageError(`${JSON.stringify(word)} is no command of clipctl ${group.name()}`, {
      hint: takesClips
        ? `${meant} A bare clip id close to a verb: clipctl ${nameOf(command)} ${word}`
        : meant,
    });
  }
}

/** `clipctl censor <clip...> is short for clipctl censor create <clip...>.` */
function shortFormOf(command: CommandUnknownOpts): string {
  const takes = command.registeredArguments.map(
    (argument) => ` <${argument.name()}${argument.variadic ? '...' : ''}>`,
  );
  const [long, short] = [nameOf(command), command.parent?.name()].map(
    (name) => `clipctl ${name}${takes.join('')}`,
  );
  return `${short} is short for ${long}.`;
}

function nameOf(command: CommandUnknownOpts): string {
  return `${command.parent?.name()} ${command.name()}`;
}
