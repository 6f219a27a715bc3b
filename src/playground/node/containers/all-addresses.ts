// Servers of pods that listen on all addresses: how does each get the address of its pod alone?
// Pods share this machine's ports, and replicas would collide.
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { V1Container } from '@kubernetes/client-node';
import { errorText } from '../../../api/text.ts';
import { findBinaries } from '../../binaries/binaries.ts';
import type { Addresses } from '../addresses.ts';
import { findImage, type Image, type Images } from '../images.ts';

/**
 * `own`: the program runs below one of ours (tools/bind), by which its calls of bind get the pod's
 * address. `shared`: not on this machine; without a reason, another limitation says why.
 */
export type AllAddresses =
  | { readonly type: 'own'; readonly tool: string }
  | { readonly type: 'shared'; readonly reason: string | undefined };

const TRIAL_MS = 60_000;

/** Builds the program the first time, and tries it. */
export async function findAllAddresses(
  addresses: Addresses,
  find = async (): Promise<string> => (await findBinaries(['bind'])).bind,
): Promise<AllAddresses> {
  if (addresses.limitation !== undefined) return { type: 'shared', reason: undefined };
  const { platform, arch } = process;
  if (platform !== 'linux' || !['x64', 'arm64'].includes(arch))
    return { type: 'shared', reason: `it needs Linux on amd64 or arm64, not ${platform}-${arch}` };
  const address = addresses.take();
  if (address === undefined) return { type: 'shared', reason: 'no address is free to try it' };
  try {
    const tool = await find();
    await promisify(execFile)(tool, ['--trial', address], { timeout: TRIAL_MS });
    return { type: 'own', tool };
  } catch (error) {
    return { type: 'shared', reason: errorText(error) };
  } finally {
    addresses.giveBack(address);
  }
}

/** The command that the container's is put after; empty: it binds its address by itself. */
export function commandBefore(
  container: V1Container,
  image: Image,
  podIP: string,
  all: AllAddresses,
): readonly string[] {
  return all.type === 'own' && mayListenOnAll(container, image) ? [all.tool, podIP] : [];
}

/** What a pod is told when two of its kind would collide. */
export function collisionOf(
  containers: readonly V1Container[],
  images: Images,
  all: AllAddresses,
): string | undefined {
  if (all.type === 'own' || all.reason === undefined) return undefined;
  const isConcerned = containers.some((each) => {
    const image = findImage(images, each.image ?? '');
    return image !== undefined && mayListenOnAll(each, image);
  });
  return isConcerned
    ? `an address of its own for a server that listens on all addresses (${all.reason}); let it listen on POD_IP, or two pods collide on a port`
    : undefined;
}

function mayListenOnAll({ command = [] }: V1Container, { bindsItsAddress }: Image): boolean {
  return command.length > 0 || bindsItsAddress !== true;
}

/** As a shell would find it. */
export function isExecutable(program: string, searched: string, folder: string): boolean {
  if (!existsSync(folder)) return false;
  const folders = program.includes('/') ? [folder] : searched.split(path.delimiter);
  return folders.some((each) => {
    try {
      accessSync(path.resolve(folder, each, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
