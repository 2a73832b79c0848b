import tab from '@bomb.sh/tab';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The script a shell sources. On TAB it runs `clipctl completion <shell> complete -- <words…>` and reads lines of
 * `value TAB description` and a last line `:n` (4: no file names). That is cobra's protocol; the scripts for zsh,
 * fish and PowerShell are those of @bomb.sh/tab.
 */
export function completionScript(shell: Shell): string {
  return shell === 'bash' ? BASH : libraryScript(shell);
}

/** The library only prints, so what it prints is caught. It does so at once, before anything else can run. */
function libraryScript(shell: Exclude<Shell, 'bash'>): string {
  const print = console.log;
  let printed = '';
  console.log = (text: string) => {
    printed += `${text}\n`;
  };
  try {
    tab.setup('clipctl', `clipctl completion ${shell}`, shell);
  } finally {
    console.log = print;
  }
  return printed;
}

/**
 * Ours, because the library's needs the package bash-completion, declares read-only variables (an error when it is
 * sourced twice), evals what was typed, and inserts values with spaces unquoted.
 */
const BASH = `# bash completion for clipctl
_clipctl_completion() {
    local cur="\${COMP_WORDS[COMP_CWORD]}" line value directive=4
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ "$line" == :* ]]; then
            directive="\${line#:}"
            continue
        fi
        value="\${line%%$'\\t'*}"
        # Inside a quote the value goes in as it is.
        [[ "$cur" == [\\"\\']* ]] || printf -v value '%q' "$value"
        COMPREPLY+=("$value")
    done < <(clipctl completion bash complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ \${#COMPREPLY[@]} -eq 0 && $directive -eq 0 ]]; then
        compopt -o default 2>/dev/null
    fi
}
# bash 3 (macOS) has no compopt: there file names are offered wherever nothing else is.
if type compopt >/dev/null 2>&1; then
    complete -F _clipctl_completion clipctl
else
    complete -o default -F _clipctl_completion clipctl
fi
`;
