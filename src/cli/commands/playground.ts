// swarmctl playground: a local Kubernetes, for as long as it is wanted.
import { type Command, CommandError, command, exitCodes } from '../arguments/command.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { isOnPath } from '../cluster/on-path.ts';
import { askRunning, listenForEnd } from '../cluster/socket.ts';

export const playground: Command = command(
  {
    name: 'playground',
    summary: 'a local Kubernetes to try things on: up, down, env',
    operands: { usage: 'up|down|env', least: 1, most: 1 },
    about: `up starts a real control plane and nodes that run pods as processes of this machine, says how to use it, and stays until Ctrl-C or
\`down\`; nothing is left of it then. The first time it fetches or builds the binaries, which takes minutes. env prints what a
shell has to know of the one that is up: its kubeconfig, and a kubectl where there is none. There is one at a time.

Exit codes: 0 done, 1 there is none that is up (or one already), 2 it cannot be told.`,
    examples: [
      ['swarmctl playground up --nodes 3', 'in a terminal of its own'],
      ['eval "$(swarmctl playground env)"', 'in another: kubectl and swarmctl use it'],
      ['swarmctl playground down', 'from anywhere'],
    ],
    flags: {
      nodes: { type: 'number', value: 'N', fallback: 1, least: 1, most: 9, help: 'how many nodes' },
    },
  },
  ({ values, operands: [deed] }, terminal) => {
    switch (deed) {
      case 'up':
        return up(Math.floor(values.nodes), terminal);
      case 'down':
        return tellOf('down', terminal);
      case 'env':
        return tellOf('env', terminal);
      default:
        throw new CommandError(`${JSON.stringify(deed)} is not known; up, down and env are`);
    }
  },
);

async function up(nodes: number, terminal: Terminal): Promise<number> {
  const running = await askRunning('env');
  if (running !== undefined) {
    terminal.problem(`one is up already: ${running}`);
    return exitCodes.no;
  }
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stopped.resolve());
  const { startPlayground } = await import('../../playground/playground.ts');
  const started = await startPlayground({ nodes });
  const { kubeconfig, binaries } = started.plane;
  const own = isOnPath('kubectl') ? [] : [`alias kubectl=${binaries.kubectl}`];
  const env = [`export KUBECONFIG=${kubeconfig}`, ...own].join('\n');
  const door = await listenForEnd(env, () => stopped.resolve());
  terminal.out(env);
  const unmounted = started.nodes.find(({ mounts }) => mounts.type === 'rewrite');
  // Its service account is mounted at a place of its own.
  const operator =
    unmounted === undefined ? 'kubectl apply -k .' : 'npm start -- --register-crds true';
  terminal.out(
    `kubectl get nodes; ${operator}   # the operator of this checkout, in another terminal`,
  );
  await stopped.promise;
  await started.stop();
  await door.close();
  return exitCodes.ok;
}

/** `down` is answered when all has ended. */
async function tellOf(wish: 'down' | 'env', terminal: Terminal): Promise<number> {
  const answer = await askRunning(wish);
  if (answer === undefined) {
    terminal.problem('no playground is up');
    return exitCodes.no;
  }
  terminal.out(wish === 'env' ? answer : 'it has ended, and nothing is left of it');
  return exitCodes.ok;
}
