// Replaces all files of a folder at once, as a kubelet does for a volume.
import { randomBytes } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../api/text.ts';
import type { Payload } from './payload.ts';

const DATA = '..data';
const NEXT = '..data_tmp';

/**
 * `config.yml -> ..data/config.yml`, `..data -> ..2026_01_31_12_00_00.4711/`: new files are written
 * to a new folder, then `..data` is replaced by a rename, so that readers see all old or all new
 * files. Returns whether anything changed; equal files are not written, which wakes no watcher.
 */
export async function writeAtomically(dir: string, payload: Payload, now: Date): Promise<boolean> {
  const current = await currentFolder(dir);
  if (current !== undefined && (await holdsExactly(path.join(dir, current), payload))) return false;
  const folder = `${stamp(now)}.${randomBytes(5).readUInt32BE()}`;
  await writeAll(path.join(dir, folder), payload);
  await rm(path.join(dir, NEXT), { force: true });
  await symlink(folder, path.join(dir, NEXT));
  await rename(path.join(dir, NEXT), path.join(dir, DATA));
  await linkNames(dir, new Set([...payload.keys()].map(firstPart)));
  if (current !== undefined) await rm(path.join(dir, current), { recursive: true, force: true });
  return true;
}

const firstPart = (file: string): string => file.split('/')[0] ?? file;

function stamp(now: Date): string {
  const [date = '', time = ''] = now.toISOString().split('T');
  return `..${date.replaceAll('-', '_')}_${time.slice(0, 8).replaceAll(':', '_')}`;
}

async function currentFolder(dir: string): Promise<string | undefined> {
  try {
    return await readlink(path.join(dir, DATA));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function holdsExactly(folder: string, payload: Payload): Promise<boolean> {
  const present = await filesBelow(folder);
  if (present.length !== payload.size) return false;
  for (const file of present) {
    const wanted = payload.get(file);
    if (wanted === undefined) return false;
    const at = path.join(folder, file);
    if (((await stat(at)).mode & 0o777) !== wanted.mode || !wanted.data.equals(await readFile(at)))
      return false;
  }
  return true;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

async function writeAll(folder: string, payload: Payload): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  for (const [file, { data, mode }] of payload) {
    const at = path.join(folder, file);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, data, { mode });
    // Regardless of the umask.
    await chmod(at, mode);
  }
}

/** Removes links alone: the folder may hold other things, such as a mount point. */
async function linkNames(dir: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(dir)) {
    if (name.startsWith('..') || names.has(name)) continue;
    const at = path.join(dir, name);
    if ((await lstat(at)).isSymbolicLink()) await rm(at);
  }
  for (const name of names) {
    await symlink(path.join(DATA, name), path.join(dir, name)).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
}
