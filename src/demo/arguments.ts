// The flags of the demo, and its help.
import { flagLines, parseFlags, type Values } from '../flags.ts';

const flags = {
  once: {
    type: 'switch',
    help: 'tell the story, print a summary and exit: 0 if all was verified, 1 if not',
  },
  kubeconfig: {
    type: 'text',
    value: 'FILE',
    help: `use this cluster instead (its current context); the operator still runs here, as a process.
Namespace swarm is made, and removed at the end. The addresses of pods must be reachable from here,
and the clocks of nodes must agree: starts and stops at different workers are compared by them.`,
  },
  workerImage: {
    type: 'text',
    value: 'IMAGE',
    help: 'with --kubeconfig: the image of the workers, instead of swarm-worker:dev',
  },
} as const;

export type DemoOptions = Values<typeof flags>;

export const helpText = `npm run demo -- [flags]: streams on workers. Watch them move when workers come, go and are killed, when some of
them reserve a share or a worker of their own, and when none may ever have two owners.

Without flags it runs on a Kubernetes of its own on this machine (etcd, API server, controller manager; pods run as local processes),
tells its story in less than a minute, and stays up for you to look around, until Ctrl-C.

${flagLines(flags, 22).join('\n')}

Environment: NO_COLOR turns colours off; SWARM_RESULTS names a file to which --once appends its counts as a line of JSON.`;

export function parseDemo(args: readonly string[]) {
  const parsed = parseFlags(flags, args);
  return parsed.wants === 'run' &&
    parsed.values.workerImage !== undefined &&
    parsed.values.kubeconfig === undefined
    ? ({
        wants: 'correction',
        problems: [
          '--worker-image goes with --kubeconfig: the local Kubernetes runs the workers of this checkout',
        ],
      } as const)
    : parsed;
}
