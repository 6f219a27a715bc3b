// How does the demo do what a user would type?
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { errorText } from '../../api/error-text.ts';
import type { Guard } from '../../playground/processes/guard.ts';

/** Paths such as samples/tv are meant from here. */
const repository = new URL('../../../../', import.meta.url).pathname;

export type Following = { readonly hasEnded: boolean; end(): Promise<void> };

export type Kubectl = {
  readonly program: string;
  /** Rejects with what kubectl says when it does not succeed. */
  run(args: readonly string[]): Promise<string>;
  /** Goes on until it ends by itself or is ended. */
  follow(args: readonly string[], onLine: (line: string) => void): Following;
};

export function makeKubectl(program: string, kubeconfig: string, guard: Guard): Kubectl {
  const withConfig = (args: readonly string[]): string[] => ['--kubeconfig', kubeconfig, ...args];
  return {
    program,
    run: async (args) => {
      try {
        return (await promisify(execFile)(program, withConfig(args), { cwd: repository })).stdout;
      } catch (error) {
        throw new Error(`${typed(args)}: ${lastWords(error)}`);
      }
    },
    follow: (args, onLine) => {
      const child = spawn(program, withConfig(args), {
        cwd: repository,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const { pid } = child;
      if (pid !== undefined) guard.watchProcess(pid);
      let hasEnded = false;
      const ended = new Promise<void>((resolve) => {
        const onEnd = (): void => {
          if (pid !== undefined) guard.forgetProcess(pid);
          hasEnded = true;
          resolve();
        };
        // Not before its last line was read.
        child.once('close', onEnd).once('error', onEnd);
      });
      createInterface(child.stdout).on('line', onLine);
      return {
        get hasEnded() {
          return hasEnded;
        },
        end: async () => {
          child.kill('SIGTERM');
          await ended;
        },
      };
    },
  };
}

/** As it can be pasted into a shell. */
export const typed = (args: readonly string[]): string =>
  ['kubectl', ...args.map(quoted)].join(' ');

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function lastWords(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr === '' ? errorText(error) : stderr;
}
