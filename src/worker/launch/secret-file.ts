// Which file of a mounted Secret belongs to a stream? The one that its parameter `secretKey` names.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../decide/stream.ts';
import type { ReadCommand } from './command.ts';

const SECRET_KEY = 'secretKey';

/** The keys that Kubernetes allows in a Secret: no path, no link of the kubelet (`..data`). */
const validKey = /^(?!\.$|\.\.)[-._a-zA-Z0-9]{1,253}$/;

/**
 * The process gets the path, not the content: its environment reveals nothing, and the kubelet
 * updates the file. The content serves to hide it in messages.
 */
export function withSecretFile(
  read: ReadCommand,
  { parameters }: Job,
  folder: string | undefined,
): ReadCommand {
  const key = parameters[SECRET_KEY];
  if (!read.ok || folder === undefined || key === undefined) return read;
  if (!validKey.test(key))
    return no(
      `the parameter ${SECRET_KEY} is ${JSON.stringify(key)}, which is not a key of a Secret; expected letters, digits, "-", "_" and ".", not beginning with ".."`,
    );
  const file = join(folder, key);
  const secret = contentOf(file);
  if (secret === undefined)
    return no(
      `the parameter ${SECRET_KEY} names the key ${key}, but there is no file of that name that the worker can read in ${folder}; add the key to the mounted Secret`,
    );
  const { command } = read;
  return {
    ok: true,
    command: { ...command, env: { ...command.env, SWARM_SECRET_FILE: file }, secret },
  };
}

function contentOf(file: string): string | undefined {
  try {
    // Anything else could block, such as a FIFO.
    return statSync(file).isFile() ? readFileSync(file, 'utf8').trim() : undefined;
  } catch {
    return undefined;
  }
}

const no = (problem: string): { readonly ok: false; readonly problem: string } => ({
  ok: false,
  problem,
});
