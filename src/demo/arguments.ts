// What does the user of the demo want?
import { parseArgs } from 'node:util';
import { errorText } from '../api/error-text.ts';

export type DemoOptions = {
  /** Run through and exit, instead of staying up. */
  readonly isOnce: boolean;
  /** A cluster that is there already, instead of a local one. */
  readonly kubeconfig: string | undefined;
  readonly workerImage: string | undefined;
};

export type ParsedDemo =
  | { readonly wants: 'run'; readonly options: DemoOptions }
  | { readonly wants: 'help' }
  | { readonly wants: 'correction'; readonly problem: string };

export const helpText = `npm run demo -- [flags]: streams on workers. Watch them move when workers come, go and are killed, when some of
them reserve a share or a worker of their own, and when none may ever have two owners.

Without flags it runs on a Kubernetes of its own on this machine (etcd, API server, controller manager; pods run as local processes),
tells its story in less than a minute, and stays up for you to look around, until Ctrl-C.

  --once                 tell the story, print a summary and exit: 0 if all was verified, 1 if not
  --kubeconfig FILE      use this cluster instead (its current context); the operator still runs here, as a process.
                         Namespace swarm is made, and removed at the end. The addresses of pods must be reachable from here,
                         and the clocks of nodes must agree: starts and stops at different workers are compared by them.
  --worker-image IMAGE   with --kubeconfig: the image of the workers, instead of swarm-worker:dev
  --help                 this text

Environment: NO_COLOR turns colours off; SWARM_RESULTS names a file to which --once appends its counts as a line of JSON.`;

const flags = {
  once: { type: 'boolean' },
  kubeconfig: { type: 'string' },
  'worker-image': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export function parseDemo(args: readonly string[]): ParsedDemo {
  try {
    const { values } = parseArgs({ args: [...args], options: flags, allowPositionals: false });
    if (values.help === true) return { wants: 'help' };
    const { once = false, kubeconfig, 'worker-image': workerImage } = values;
    if (kubeconfig === '') return correct('--kubeconfig names no file');
    if (workerImage === '') return correct('--worker-image names no image');
    if (workerImage !== undefined && kubeconfig === undefined) {
      return correct(
        '--worker-image goes with --kubeconfig: the local Kubernetes runs the workers of this checkout',
      );
    }
    return { wants: 'run', options: { isOnce: once, kubeconfig, workerImage } };
  } catch (error) {
    return correct(errorText(error));
  }
}

const correct = (problem: string): ParsedDemo => ({ wants: 'correction', problem });
