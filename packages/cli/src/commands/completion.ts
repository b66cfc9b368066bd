/** `omnigent completion`: a completion script for bash, zsh or fish, out of the commands and flags themselves. */
import type { Command } from 'commander';
import { Argument } from 'commander';
import type { RegisterCommand } from './command-context.ts';

interface Words {
  readonly command: string;
  readonly flags: readonly string[];
}

function readWords(program: Command): Words[] {
  return program.commands.map((command) => ({
    command: command.name(),
    flags: command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : [])),
  }));
}

function renderBash(words: readonly Words[]): string {
  const cases = words.map(({ command, flags }) => `    ${command}) words="${flags.join(' ')}" ;;`).join('\n');
  return `_omnigent() {
  local words="${words.map(({ command }) => command).join(' ')}"
  if [ "$COMP_CWORD" -gt 1 ]; then case "\${COMP_WORDS[1]}" in
${cases}
    *) words="" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _omnigent omnigent
`;
}

function renderFish(words: readonly Words[]): string {
  const lines = words.flatMap(({ command, flags }) => [
    `complete -c omnigent -n __fish_use_subcommand -a ${command}`,
    ...flags.map(
      (flag) => `complete -c omnigent -n '__fish_seen_subcommand_from ${command}' -l ${flag.slice(2)}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}

export const registerCompletion: RegisterCommand = (program, context) => {
  program
    .command('completion')
    .description('print a completion script; source it from your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .action((shell: 'bash' | 'zsh' | 'fish') => {
      const words = readWords(program);
      if (shell === 'fish') return context.writeOut(renderFish(words));
      const prefix = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
      context.writeOut(prefix + renderBash(words));
    });
};
