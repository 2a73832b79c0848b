const SERVICE_COMMANDS =
  'upload|uploads|project|visibility|clip|collection|censor|schedule|copy|accounts|api';
const COMMAND_LINE = new RegExp(`\\bclipctl (?=(?:${SERVICE_COMMANDS})\\b)`, 'g');

/** Command lines in a hint, for somebody who used `--local`: the next command must go to the same service. */
export function withLocal(text: string): string {
  return text.replace(COMMAND_LINE, 'clipctl --local ');
}
