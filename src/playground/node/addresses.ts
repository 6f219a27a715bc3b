// Which address does a pod get? One of its own on the loopback network, which no other playground
// of this machine uses.
import { createServer, type Server } from 'node:net';

export interface Addresses {
  /** Undefined: all are taken. */
  take(): string | undefined;
  giveBack(address: string): void;
  /** Set where pods cannot have addresses of their own, and why. */
  readonly limitation: string | undefined;
  close(): Promise<void>;
}

const FIRST = 1;
const LAST = 254;
const ATTEMPTS = 100;

/**
 * A /24 of 127/8 that nobody else has: held by an abstract socket of its name, which exists once
 * per network namespace, exactly as far as its addresses reach, and which the kernel frees with
 * this process, however it ends.
 */
export async function claimAddresses(random: () => number = Math.random): Promise<Addresses> {
  if (process.platform !== 'linux') return shared();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // 127.0.x.y is left alone: servers of this machine listen there.
    const network = `127.${1 + Math.floor(random() * 254)}.${Math.floor(random() * 256)}`;
    const lock = await hold(`\0swarm-operator-pods-${network}`);
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

  /**
   * The one that was free the longest: an answer from a reused address could be taken for the
   * former pod's.
   */
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
    return new Promise((resolve) => this.#lock.close(() => resolve()));
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

function hold(name: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(name, () => {
      server.unref();
      resolve(server);
    });
  });
}
