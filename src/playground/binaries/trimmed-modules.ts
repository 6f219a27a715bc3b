// Which packages of Kubernetes are compiled for nothing, and how does a build go without them?
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { modulesFolder } from './releases.ts';

const eviction = 'pkg/kubelet/eviction';

/**
 * By module, what goes. Files of helpers for tests import the fake clientset. The controller
 * manager imports the kubelet's eviction manager, with cAdvisor and the scheduler, for one
 * function: tools/controlplane/eviction has that.
 */
const removed = {
  'k8s.io/kubernetes': [eviction, 'pkg/scheduler/backend/queue/testing.go'],
  'k8s.io/apiserver': ['pkg/admission/plugin/policy/generic/policy_test_context.go'],
} as const;

/** Runs `go` in tools/controlplane; returns what it prints. */
type RunGo = (...args: readonly string[]) => Promise<string>;

/** Flags for `go build`, with copies of two modules in the folder: Go's own cannot be changed. */
export async function trimmedModules(folder: string, runGo: RunGo): Promise<readonly string[]> {
  const sources = await foldersOf(Object.keys(removed), runGo);
  const replacements: string[] = [];
  for (const [name, files] of Object.entries(removed)) {
    const copy = path.join(folder, path.basename(name));
    await copySources(sources.get(name) ?? '', copy);
    for (const file of files) await rm(path.join(copy, file), { recursive: true });
    replacements.push('-replace', `${name}=${copy}`);
  }
  const controlplane = path.join(modulesFolder, 'controlplane');
  await copySources(path.join(controlplane, 'eviction'), path.join(folder, 'kubernetes', eviction));
  for (const file of ['go.mod', 'go.sum'])
    await copyFile(path.join(controlplane, file), path.join(folder, file));
  await runGo('mod', 'edit', ...replacements, path.join(folder, 'go.mod'));
  return [`-modfile=${path.join(folder, 'go.mod')}`];
}

async function foldersOf(
  modules: readonly string[],
  runGo: RunGo,
): Promise<ReadonlyMap<string, string>> {
  const objects = (await runGo('mod', 'download', '-json', ...modules)).trim().split(/(?<=\})\s+/);
  return new Map(
    objects.map((text) => {
      const { Path, Dir } = JSON.parse(text) as { readonly Path: string; readonly Dir: string };
      return [Path, Dir];
    }),
  );
}

/** Without tests. Go's own copies cannot be written; these can be removed. */
async function copySources(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const { name } = entry;
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if (entry.isDirectory() && name !== 'testdata') await copySources(source, target);
    else if (entry.isFile() && !name.endsWith('_test.go')) await copyFile(source, target);
  }
}
