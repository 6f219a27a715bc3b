// swarmctl completion: what does a shell load to complete command lines?
import { type Command, CommandError, command, exitCodes } from '../arguments/command.ts';
import { completions } from '../arguments/completion.ts';

const shells = [...completions.keys()];

export const completion: Command = command(
  {
    name: 'completion',
    summary: 'print the completion script for bash, zsh or fish',
    operands: { usage: shells.join('|'), least: 1, most: 1 },
    about: `Prints a completion script; load it in your shell's startup file. It also completes the names of pools, groups, streams and
namespaces, if the cluster answers within 1.5 seconds. \`kubectl swarm\` does not need the script: kubectl's own completion runs
kubectl_complete-swarm, which is installed with swarmctl.`,
    examples: [
      ['source <(swarmctl completion bash)', 'in ~/.bashrc'],
      ['source <(swarmctl completion zsh)', 'in ~/.zshrc, after compinit'],
      ['swarmctl completion fish > ~/.config/fish/completions/swarmctl.fish', 'install it once'],
    ],
    flags: {},
  },
  async ({ operands: [shell = ''] }, terminal) => {
    const script = completions.get(shell);
    if (script === undefined)
      throw new CommandError(
        `unknown shell ${JSON.stringify(shell)}; allowed are ${shells.join(', ')}`,
      );
    terminal.out(script.trimEnd());
    return exitCodes.ok;
  },
);
