// swarmctl as a user runs it, against the cluster of a kubeconfig.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const program = [
  '--disable-warning=ExperimentalWarning',
  fileURLToPath(new URL('../../../src/cli/swarmctl.ts', import.meta.url)),
];

export type Told = { readonly code: number; readonly stdout: string; readonly stderr: string };

export const swarmctlOn =
  (kubeconfig: string, env: NodeJS.ProcessEnv = {}) =>
  (...args: readonly string[]): Promise<Told> =>
    new Promise((resolve) => {
      const all = [...program, ...args];
      const options = {
        encoding: 'utf8',
        timeout: 600_000,
        env: { ...process.env, KUBECONFIG: kubeconfig, ...env },
      } as const;
      const child = execFile(process.execPath, all, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
      child.stdin?.end();
    });
