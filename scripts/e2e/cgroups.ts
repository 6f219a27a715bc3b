// Where do the cgroups of pods go? Below a cgroup of this run, the root of all that its processes
// see, so that the run can remove them.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const endMilliseconds = 20_000;
const mount = '/sys/fs/cgroup';
const prefix = 'swarm-e2e-';
const own = `${prefix}${process.pid}`;
/**
 * A cgroup counts as one process against all others of the machine, and the pods of a node together
 * as one against its daemons. These count as eight: otherwise, on a busy machine, a whole cluster
 * would get less time than any other program.
 */
const weights = { 'cpu.shares': '8192', 'cpu.weight': '800' };
/** Where runc puts the containers of the kubelets. */
const ofPods = 'k8s.io';

/** One in version 2, one for each controller in version 1. */
const hierarchies = (): readonly string[] => {
  if (existsSync(path.join(mount, 'cgroup.controllers'))) return [mount];
  return foldersIn(mount).flatMap((name) =>
    existsSync(path.join(mount, name, 'cgroup.procs')) ? [path.join(mount, name)] : [],
  );
};

/**
 * Shell commands: the first enter the cgroups, the others make them the root, in a new cgroup
 * namespace and mount namespace.
 */
export async function makeCgroups(): Promise<{ readonly enter: string; readonly root: string }> {
  await removeCgroups();
  const all = hierarchies();
  for (const hierarchy of all) {
    const cgroup = path.join(hierarchy, own);
    mkdirSync(path.join(cgroup, ofPods), { recursive: true });
    // In version 1 no process may enter a set without processors.
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      if (existsSync(path.join(cgroup, file)) && !all.includes(mount))
        writeFileSync(path.join(cgroup, file), readFileSync(path.join(hierarchy, file)));
    for (const folder of [cgroup, path.join(cgroup, ofPods)])
      for (const [file, weight] of Object.entries(weights))
        if (existsSync(path.join(folder, file))) writeFileSync(path.join(folder, file), weight);
  }
  const enter = all.map((hierarchy) => `echo $$ > ${hierarchy}/${own}/cgroup.procs`);
  const root = all.map((hierarchy) => `mount --bind ${hierarchy}/${own} ${hierarchy}`);
  // In version 2 a cgroup that delegates controllers has no processes of its own.
  if (all.includes(mount))
    root.push(`mkdir ${mount}/tests`, `echo $$ > ${mount}/tests/cgroup.procs`);
  return { enter: enter.join('\n'), root: root.join('\n') };
}

/**
 * Those of this run, and of earlier ones that were killed. Waits for processes that are just
 * ending.
 */
export async function removeCgroups(): Promise<void> {
  const deadline = performance.now() + endMilliseconds;
  while (!removeOver() && performance.now() < deadline) await delay(50);
}

/** Returns whether all are removed. */
function removeOver(): boolean {
  const over = hierarchies().flatMap((hierarchy) =>
    foldersIn(hierarchy).flatMap((name) =>
      name.startsWith(prefix) && isOver(name) ? [path.join(hierarchy, name)] : [],
    ),
  );
  for (const folder of over) removeTree(folder);
  return !over.some((folder) => existsSync(folder));
}

function isOver(name: string): boolean {
  const pid = name.slice(prefix.length);
  try {
    return (
      Number(pid) === process.pid ||
      !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('test-e2e')
    );
  } catch {
    return true;
  }
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
}

function removeTree(folder: string): void {
  for (const name of foldersIn(folder)) removeTree(path.join(folder, name));
  try {
    rmdirSync(folder);
  } catch {
    // A process is still in it.
  }
}
