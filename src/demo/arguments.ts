// The flags of the demo, and its help.
import { flagLines, parseFlags, type Values } from '../flags.ts';

const flags = {
  once: {
    type: 'switch',
    help: 'play all steps, print a summary and exit: 0 if every step was verified, else 1',
  },
  kubeconfig: {
    type: 'text',
    value: 'FILE',
    help: `use this cluster (the current context of FILE); the operator still runs as a process on this machine.
The demo creates the namespace swarm, and removes it at the end. This machine must reach the addresses of pods,
and the clocks of the nodes must agree, because the demo compares starts and stops on different workers.`,
  },
  workerImage: {
    type: 'text',
    value: 'IMAGE',
    needs: 'kubeconfig',
    help: 'the image of the workers, instead of swarm-worker:dev',
  },
} as const;

export type DemoOptions = Values<typeof flags>;

export const helpText = `npm run demo -- [flags]: shows streams on workers: how they move when workers are added, removed and killed, when
streams reserve a share of a worker or a whole one, and when no stream may ever have two owners.

Without flags the demo starts a local Kubernetes (etcd, API server, controller manager; pods run as local processes), plays its steps in
less than a minute, and keeps running until Ctrl-C, so that you can look around.

${flagLines(flags, 22).join('\n')}

Environment: NO_COLOR disables colours; SWARM_RESULTS is a file to which --once appends its counts as a line of JSON.`;

export const parseDemo = (args: readonly string[]) => parseFlags(flags, args);
