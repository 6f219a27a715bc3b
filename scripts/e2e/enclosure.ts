// Where does the real node run? In namespaces of its own: network, mounts, processes, cgroups. When
// their first process ends, for any reason, the kernel removes all of it: interfaces, rules,
// mounts, and remaining processes. Only cgroups and one folder must be removed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Guard } from '../../src/playground/processes/guard.ts';
import { makeCgroups } from './cgroups.ts';

/**
 * The machine must not see what nodes write to fixed places: /run is empty, and /var a layer above
 * the real one.
 */
const prepare = (work: string): string => `
  mount -t tmpfs tmpfs /run
  mkdir -p ${work}/var/over ${work}/var/work
  mount -t overlay overlay -o lowerdir=/var,upperdir=${work}/var/over,workdir=${work}/var/work /var
  ip link set lo up
  "$@"
`;

/**
 * Runs the command alone in its namespaces and returns its exit code. The shell stays as the first
 * process, and reaps orphans.
 */
export async function enclosed(
  command: readonly string[],
  work: string,
  env: NodeJS.ProcessEnv,
  guard: Guard,
): Promise<number> {
  const { enter, root } = await makeCgroups();
  const first = apart(
    ['--net', '--cgroup'],
    ['sh', '-ec', `${root}\n${prepare(work)}`, 'sh', ...command],
  );
  const child = spawn('sh', ['-ec', `${enter}\nexec "$@"`, 'sh', ...first], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  await once(child, 'spawn');
  if (child.pid !== undefined) guard.watchProcess(child.pid);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.kill('SIGKILL'));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (child.pid !== undefined) guard.forgetProcess(child.pid);
  return code ?? 1;
}

/**
 * A command in namespaces of its own that ends with all its processes and mounts, also when this
 * process is killed.
 */
export function apart(more: readonly string[], command: readonly string[]): readonly string[] {
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...more];
  return ['setpriv', '--pdeathsig', 'KILL', 'unshare', ...namespaces, ...command];
}
