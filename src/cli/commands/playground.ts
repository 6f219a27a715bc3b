// swarmctl playground: a local Kubernetes, until the user ends it.
import { type Command, CommandError, command, exitCodes } from '../arguments/command.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { untilInterrupted } from '../cluster/changes.ts';
import { askRunning, listenForEnd, shellEnv } from '../cluster/socket.ts';

export const playground: Command = command(
  {
    name: 'playground',
    summary: 'a local Kubernetes to try things on: up, down, env',
    operands: { usage: 'up|down|env', least: 1, most: 1 },
    about: `up starts a real control plane and nodes that run pods as processes of this machine, says how to use it, and stays until Ctrl-C or
\`down\`; nothing is left of it then. The first time it fetches or builds the binaries, which takes minutes. env prints what a
shell has to know of the one that is up: its kubeconfig, and a kubectl where there is none. There is one at a time; the cluster of
\`npm run demo\` is one, too.

Exit codes: 0 done, 1 there is none that is up (or one already), 2 the command line is wrong.`,
    examples: [
      ['swarmctl playground up --nodes 3', 'in a terminal of its own'],
      ['eval "$(swarmctl playground env)"', 'in another: kubectl and swarmctl use it'],
      ['swarmctl playground down', 'from anywhere'],
    ],
    flags: {
      nodes: { type: 'whole', value: 'N', fallback: 1, least: 1, most: 9, help: 'how many nodes' },
    },
  },
  ({ values, operands: [action] }, terminal) => {
    switch (action) {
      case 'up':
        return up(values.nodes, terminal);
      case 'down':
        return answerOf('down', terminal);
      case 'env':
        return answerOf('env', terminal);
      default:
        throw new CommandError(`${JSON.stringify(action)} is not known; up, down and env are`);
    }
  },
);

async function up(nodes: number, terminal: Terminal): Promise<number> {
  const running = await askRunning('env');
  if (running !== undefined) {
    terminal.problem(`one is up already: ${running}`);
    return exitCodes.no;
  }
  const stopped = untilInterrupted();
  const [{ startPlayground }, { KubeClient }, { loadKubeConfig }, { followPage }] =
    await Promise.all([
      import('../../playground/playground.ts'),
      import('../../runtime/client/client.ts'),
      import('../../runtime/client/load-config.ts'),
      import('../cluster/page.ts'),
    ]);
  const started = await startPlayground({ nodes });
  const { kubeconfig, binaries } = started.plane;
  const env = shellEnv(kubeconfig, binaries.kubectl);
  const socket = await listenForEnd(env, () => stopped.abort());
  terminal.out(env);
  const unmounted = started.nodes.find(({ mounts }) => mounts.type === 'rewrite');
  // There the operator, in a pod, would not find its service account at the usual path.
  const operator =
    unmounted === undefined ? 'kubectl apply -k .' : 'npm start -- --register-crds true';
  terminal.out(
    `kubectl get nodes; ${operator}   # the operator of this checkout, in another terminal`,
  );
  const config = loadKubeConfig({ file: kubeconfig });
  const api = new KubeClient(config, { userAgent: 'swarmctl' });
  const show = (url: string): void =>
    terminal.out(`${url}   # the page of the operator that leads`);
  await followPage(api, show, stopped.signal);
  await config.closeConnections();
  await started.stop();
  await socket.close();
  return exitCodes.ok;
}

/** `down` is answered when all has ended. */
async function answerOf(request: 'down' | 'env', terminal: Terminal): Promise<number> {
  const answer = await askRunning(request);
  if (answer === undefined) {
    terminal.problem('no playground is up');
    return exitCodes.no;
  }
  terminal.out(request === 'env' ? answer : 'it has ended, and nothing is left of it');
  return exitCodes.ok;
}
