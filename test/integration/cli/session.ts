// Runs commands of swarmctl one after another in one process: a process for each would spend most
// of its time on loading the same modules. What a command prints and its exit code are the same;
// test/unit/cli/swarmctl.test.ts and following.test.ts start the program itself.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Told } from './swarmctl.ts';

export type Session = {
  readonly type: (...args: readonly string[]) => Promise<Told>;
  readonly end: () => Promise<void>;
};

const shell = fileURLToPath(new URL('./session-process.ts', import.meta.url));

export function openSession(kubeconfig: string): Session {
  const child = fork(shell, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, KUBECONFIG: kubeconfig, NODE_OPTIONS: '' },
  });
  const ended = once(child, 'exit');
  return {
    type: async (...args) => {
      const told = Promise.race([
        once(child, 'message'),
        ended.then(() => {
          throw new Error(`swarmctl ${args.join(' ')} ended its process`);
        }),
      ]);
      child.send(args);
      return (await told)[0] as Told;
    },
    end: async () => {
      child.disconnect();
      await ended;
    },
  };
}
