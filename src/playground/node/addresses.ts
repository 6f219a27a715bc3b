// Addresses of pods: each has its own on the loopback network of this machine.
import type { Server } from 'node:net';
import { close, listen } from '../processes/ports.ts';

export interface Addresses {
  /** Undefined: all are taken. */
  take(): string | undefined;
  giveBack(address: string): void;
  /** Why pods cannot have addresses of their own. */
  readonly limitation: string | undefined;
  close(): Promise<void>;
}

const ATTEMPTS = 100;

/**
 * A /24 of 127/8 that no other playground uses. The claim is an abstract socket: there is one of a
 * name in a network namespace, and the kernel closes it when this process ends.
 */
export async function claimAddresses(random: () => number = Math.random): Promise<Addresses> {
  if (process.platform !== 'linux') return shared;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // Servers of this machine listen on 127.0.x.y.
    const network = `127.${1 + Math.floor(random() * 254)}.${Math.floor(random() * 256)}`;
    const lock = await listen({ path: `\0swarm-operator-pods-${network}` });
    lock?.unref();
    if (lock !== undefined) return rangeOf(network, lock);
  }
  throw new Error(
    `no free range of pod addresses after ${ATTEMPTS} attempts; other playgrounds on this machine hold them`,
  );
}

/** The address that was free the longest comes first: no pod is taken for the one before it. */
function rangeOf(network: string, lock: Server): Addresses {
  const free = Array.from({ length: 254 }, (_, at) => `${network}.${at + 1}`);
  return {
    take: () => free.shift(),
    giveBack: (address) => void free.push(address),
    limitation: undefined,
    close: () => close(lock),
  };
}

/** macOS has 127.0.0.1 only. */
const shared: Addresses = {
  take: () => '127.0.0.1',
  giveBack: () => undefined,
  limitation:
    'this system has 127.0.0.1 only: pods share it, and two that listen on the same port collide',
  close: async () => undefined,
};
