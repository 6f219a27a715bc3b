// swarmctl playground: a local Kubernetes, until the user ends it.
import { type Command, CommandError, command, exitCodes } from '../arguments/command.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { untilInterrupted } from '../cluster/changes.ts';
import { askRunning, listenForEnd, shellEnv } from '../cluster/socket.ts';

export const playground: Command = command(
  {
    name: 'playground',
    summary: 'run a local Kubernetes to try things out: up, down, env',
    operands: { usage: 'up|down|env', least: 1, most: 1 },
    about: `up starts a real control plane and nodes that run pods as processes on this machine, prints how to use them, and runs until Ctrl-C or
\`down\`, which leave nothing behind. The first start downloads or builds the binaries, which takes minutes. env prints the shell
settings for the running playground: KUBECONFIG, and an alias for kubectl if none is installed. Only one playground can run at a time;
\`npm run demo\` starts one too.

Exit codes: 0 done, 1 no playground is running (up: one is already running), 2 wrong command line.`,
    examples: [
      ['swarmctl playground up --nodes 3', 'in a separate terminal'],
      [
        'eval "$(swarmctl playground env)"',
        'in another terminal, to point kubectl and swarmctl at it',
      ],
      ['swarmctl playground down', 'from any terminal'],
    ],
    flags: {
      nodes: { type: 'whole', value: 'N', fallback: 1, least: 1, most: 9, help: 'number of nodes' },
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
        throw new CommandError(
          `unknown action ${JSON.stringify(action)}; allowed are up, down and env`,
        );
    }
  },
);

async function up(nodes: number, terminal: Terminal): Promise<number> {
  const running = await askRunning('env');
  if (running !== undefined) {
    terminal.problem(`a playground is already running: ${running}`);
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
    `kubectl get nodes; ${operator}   # starts the operator of this checkout, in another terminal`,
  );
  const config = loadKubeConfig({ file: kubeconfig });
  const api = new KubeClient(config, { userAgent: 'swarmctl' });
  const show = (url: string): void =>
    terminal.out(`${url}   # the web page of the leading operator`);
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
    terminal.problem('no playground is running');
    return exitCodes.no;
  }
  terminal.out(request === 'env' ? answer : 'the playground has stopped; nothing is left behind');
  return exitCodes.ok;
}
