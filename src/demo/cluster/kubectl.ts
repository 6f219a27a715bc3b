// Runs kubectl as a user would.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errorText } from '../../api/text.ts';

/** Where paths such as samples/tv start. */
const repository = new URL('../../../', import.meta.url).pathname;

export type Kubectl = {
  readonly program: string;
  /** Rejects with kubectl's own message. */
  run(args: readonly string[]): Promise<void>;
};

export const makeKubectl = (program: string, kubeconfig: string): Kubectl => ({
  program,
  run: async (args) => {
    try {
      await promisify(execFile)(program, ['--kubeconfig', kubeconfig, ...args], {
        cwd: repository,
      });
    } catch (error) {
      throw new Error(`${typed(args)}: ${lastWords(error)}`);
    }
  },
});

/** The command, ready to be pasted into a shell. */
export const typed = (args: readonly string[]): string =>
  ['kubectl', ...args.map(quoted)].join(' ');

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function lastWords(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr === '' ? errorText(error) : stderr;
}
