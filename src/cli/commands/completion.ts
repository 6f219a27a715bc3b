// swarmctl completion: what does a shell load to complete command lines?
import { type Command, CommandError, command, exitCodes } from '../arguments/command.ts';
import { completions } from '../arguments/completion.ts';

const shells = [...completions.keys()];

export const completion: Command = command(
  {
    name: 'completion',
    summary: 'what bash, zsh or fish loads to complete command lines',
    operands: { usage: shells.join('|'), least: 1, most: 1 },
    about: `Prints it; load it where your shell starts. Pools, streams and namespaces are completed, too, where the cluster names them within
1.5 seconds. \`kubectl swarm\` needs none of it: where kubectl's own completion is loaded, it asks the
program kubectl_complete-swarm, which comes with swarmctl.`,
    examples: [
      ['source <(swarmctl completion bash)', 'in ~/.bashrc'],
      ['source <(swarmctl completion zsh)', 'in ~/.zshrc, after compinit'],
      ['swarmctl completion fish > ~/.config/fish/completions/swarmctl.fish', 'once'],
    ],
    flags: {},
  },
  async ({ operands: [shell = ''] }, terminal) => {
    const script = completions.get(shell);
    if (script === undefined)
      throw new CommandError(
        `${JSON.stringify(shell)} is no shell that is known; ${shells.join(', ')} are`,
      );
    terminal.out(script.trimEnd());
    return exitCodes.ok;
  },
);
