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

const FIRST = 1;
const LAST = 254;
const ATTEMPTS = 100;

/**
 * A /24 of 127/8 that no other playground uses. The claim is an abstract socket: there is one of a
 * name in a network namespace, and the kernel closes it when this process ends.
 */
export async function claimAddresses(random: () => number = Math.random): Promise<Addresses> {
  if (process.platform !== 'linux') return shared();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // Servers of this machine listen on 127.0.x.y.
    const network = `127.${1 + Math.floor(random() * 254)}.${Math.floor(random() * 256)}`;
    const lock = await listen({ path: `\0swarm-operator-pods-${network}` });
    lock?.unref();
    if (lock !== undefined) return new Range(network, lock);
  }
  throw new Error(
    `no free range of pod addresses after ${ATTEMPTS} attempts; other playgrounds on this machine hold them`,
  );
}

class Range implements Addresses {
  readonly limitation = undefined;
  readonly #network: string;
  readonly #lock: Server;
  readonly #taken = new Set<number>();
  #next = FIRST;

  constructor(network: string, lock: Server) {
    this.#network = network;
    this.#lock = lock;
  }

  /** The one that was free the longest, so that no pod is taken for the one before it. */
  take(): string | undefined {
    for (let tried = FIRST; tried <= LAST; tried += 1) {
      const candidate = this.#next;
      this.#next = candidate === LAST ? FIRST : candidate + 1;
      if (this.#taken.has(candidate)) continue;
      this.#taken.add(candidate);
      return `${this.#network}.${candidate}`;
    }
    return undefined;
  }

  giveBack(address: string): void {
    this.#taken.delete(Number(address.slice(address.lastIndexOf('.') + 1)));
  }

  close(): Promise<void> {
    return close(this.#lock);
  }
}

/** macOS has 127.0.0.1 only. */
function shared(): Addresses {
  return {
    limitation:
      'this system has 127.0.0.1 only: pods share it, and two that listen on the same port collide',
    take: () => '127.0.0.1',
    giveBack: () => undefined,
    close: async () => undefined,
  };
}
