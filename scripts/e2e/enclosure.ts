// Where does the real node run? In namespaces of its own: network, mounts and processes. When their first process ends, however it ends, the
// kernel takes all of it away: interfaces, rules, mounts, and whatever still runs. Only cgroups and one folder are left, and removed here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { Guard } from '../../src/playground/guard.ts';

const cgroups = '/sys/fs/cgroup';
const prefix = 'swarm-e2e-';

/** Under this name, in each hierarchy, the kubelets put their pods. */
export const cgroupName = `${prefix}${process.pid}`;

/** What nodes write to fixed places must not be seen by the machine: /run is empty and /var a layer above the real one. */
const prepare = `
  mount -t tmpfs tmpfs /run
  mkdir -p "$0/var/over" "$0/var/work"
  mount -t overlay overlay -o "lowerdir=/var,upperdir=$0/var/over,workdir=$0/var/work" /var
  ip link set lo up
  "$@"
`;

/** Answers the exit code of the command, which has run alone in its world. The shell stays as the first process, and reaps orphans. */
export async function enclosed(command: readonly string[], work: string, env: NodeJS.ProcessEnv, guard: Guard): Promise<number> {
  const [first = '', ...rest] = apart(['--net'], ['sh', '-ec', prepare, work, ...command]);
  const child = spawn(first, rest, { stdio: 'inherit', env: { ...process.env, ...env } });
  await once(child, 'spawn');
  if (child.pid !== undefined) guard.watchProcess(child.pid);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill('SIGKILL'));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (child.pid !== undefined) guard.forgetProcess(child.pid);
  return code ?? 1;
}

/** A command in namespaces of its own that ends, with all that it has started and mounted, also when this process is killed. */
export function apart(more: readonly string[], command: readonly string[]): readonly string[] {
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...more];
  return ['setpriv', '--pdeathsig', 'KILL', 'unshare', ...namespaces, ...command];
}

/** Those of this run, and of earlier ones that were killed. */
export function removeCgroups(): void {
  for (const hierarchy of hierarchies()) {
    for (const name of entriesOf(hierarchy)) if (name.startsWith(prefix) && isOver(name)) removeTree(path.join(hierarchy, name));
  }
}

const hierarchies = (): readonly string[] => [cgroups, ...entriesOf(cgroups).map((name) => path.join(cgroups, name))];

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

function isOver(name: string): boolean {
  const pid = name.slice(prefix.length);
  if (Number(pid) === process.pid) return true;
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('test-e2e');
  } catch {
    return true;
  }
}

function removeTree(folder: string): void {
  for (const name of entriesOf(folder)) removeTree(path.join(folder, name));
  try {
    rmdirSync(folder);
  } catch {
    // A process that is just ending is still in it: the next run removes it.
  }
}
