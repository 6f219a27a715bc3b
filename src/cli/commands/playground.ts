// swarmctl playground: a local Kubernetes, until the user ends it.
import { systemClock } from '../../runtime/clock.ts';
import { type Command, CommandError, command, exitCodes } from '../arguments/command.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { timeoutFlag, Wait } from '../arguments/waiting.ts';
import { untilInterrupted } from '../cluster/changes.ts';
import { ownCommand } from '../cluster/own-command.ts';
import { askRunning, listenForEnd, shellEnv } from '../cluster/socket.ts';

export const playground: Command = command(
  {
    name: 'playground',
    summary: 'run a local Kubernetes to try things out: up, down, env',
    operands: { usage: 'up|down|env', least: 1, most: 1 },
    about: `up starts a real control plane and nodes that run pods as processes on this machine, prints how to use them, and runs until Ctrl-C or
\`down\`, which leave nothing behind. The first start downloads or builds the binaries, which takes minutes. env prints the shell
settings for the running playground: KUBECONFIG, and an alias for kubectl if none is installed. A second playground needs a name (--name),
which env and down then need, too. \`npm run demo\` starts one without a name.

Exit codes: 0 done, 1 no such playground is running (up: it is already running; down: it did not end within --timeout), 2 wrong command line.`,
    examples: [
      ['swarmctl playground up --nodes 3', 'in a separate terminal'],
      [
        'eval "$(swarmctl playground env)"',
        'in another terminal, to point kubectl and swarmctl at it',
      ],
      ['swarmctl playground down', 'from any terminal'],
    ],
    flags: {
      name: {
        type: 'text',
        value: 'NAME',
        fallback: '',
        help: 'of a playground that runs beside others',
      },
      timeout: timeoutFlag('60s', 'with down until the playground has ended'),
      nodes: { type: 'whole', value: 'N', fallback: 1, least: 1, most: 9, help: 'number of nodes' },
    },
  },
  ({ values, operands: [action] }, terminal) => {
    const { name, nodes, timeout } = values;
    if (!/^[a-z0-9-]{0,30}$/.test(name))
      throw new CommandError(
        `--name is ${JSON.stringify(name)}; allowed are at most 30 lowercase letters, digits and hyphens`,
      );
    switch (action) {
      case 'up':
        return up(name, nodes, terminal);
      case 'down':
        return down(name, timeout, terminal);
      case 'env':
        return env(name, terminal);
      default:
        throw new CommandError(
          `unknown action ${JSON.stringify(action)}; allowed are up, down and env`,
        );
    }
  },
);

async function up(name: string, nodes: number, terminal: Terminal): Promise<number> {
  const swarmctl = `${ownCommand()} playground`;
  const of = name === '' ? '' : ` --name ${name}`;
  if ((await askRunning('env', name)) !== undefined) {
    terminal.problem(
      `a playground ${name === '' ? '' : `of the name ${name} `}is already running; to use it: eval "$(${swarmctl} env${of})"; to end it: ${swarmctl} down${of}; to run another one beside it: ${swarmctl} up --name OTHER`,
    );
    return exitCodes.no;
  }
  return untilInterrupted((stopped) => runUntil(stopped, { name, nodes, swarmctl, of }, terminal));
}

type Wanted = {
  readonly name: string;
  readonly nodes: number;
  /** How the user calls the command, and which flags name this playground. */
  readonly swarmctl: string;
  readonly of: string;
};

async function runUntil(
  stopped: AbortController,
  { name, nodes, swarmctl, of }: Wanted,
  terminal: Terminal,
): Promise<number> {
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
  const socket = await listenForEnd(env, () => stopped.abort(), name);
  terminal.out(
    `eval "$(${swarmctl} env${of})"   # in another terminal: kubectl and swarmctl then use this playground`,
  );
  const unmounted = started.nodes.find(({ mounts }) => mounts.type === 'rewrite');
  // There the operator, in a pod, would not find its service account at the usual path.
  const operator =
    unmounted === undefined ? 'kubectl apply -k .' : 'npm start -- --register-crds true';
  terminal.out(`kubectl get nodes; ${operator}   # there: starts the operator of this checkout`);
  terminal.out(`${swarmctl} down${of}   # ends it, as Ctrl-C does here; nothing is left behind`);
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

async function env(name: string, terminal: Terminal): Promise<number> {
  const answer = await askRunning('env', name);
  if (answer === undefined) return notRunning(name, terminal);
  terminal.out(answer);
  return exitCodes.ok;
}

/** It is answered when all has ended. A process that is stopped, as by Ctrl-Z, never answers. */
async function down(name: string, timeoutMs: number, terminal: Terminal): Promise<number> {
  const late = new AbortController();
  const onTimeout = (why: string): void => {
    terminal.problem(`${why}; is its process stopped? \`fg\` in its terminal continues it`);
    late.abort();
  };
  const { note } = terminal;
  const wait = new Wait({ clock: systemClock, note, timeoutMs, onTimeout });
  wait.for('the playground to end');
  const answer = await askRunning('down', name, late.signal);
  wait.end();
  if (late.signal.aborted) return exitCodes.no;
  if (answer === undefined) return notRunning(name, terminal);
  terminal.out('the playground has stopped; nothing is left behind');
  return exitCodes.ok;
}

function notRunning(name: string, terminal: Terminal): number {
  terminal.problem(`no playground ${name === '' ? '' : `of the name ${name} `}is running`);
  return exitCodes.no;
}
