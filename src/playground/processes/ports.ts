// Loopback ports for a control plane.
import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';

/**
 * Below the ports of outgoing connections (from 32768 on Linux, 49152 on macOS) and node ports
 * (from 30000), so that a component that restarts finds its port free.
 */
const firstPort = 20_000;
const blockSize = 8;
const blocks = 1_240;

export interface PortClaim {
  /** The first of the consecutive ports. */
  readonly first: number;
  release(): Promise<void>;
}

/**
 * A block of ports belongs to the process that listens on its lowest port: other playgrounds keep
 * off the block, also while a component is down, and the claim ends with the process.
 */
export async function claimPorts(
  count: number,
  random: () => number = Math.random,
): Promise<PortClaim> {
  if (count >= blockSize)
    throw new Error(`at most ${blockSize - 1} ports can be claimed at once, not ${count}`);
  const start = Math.floor(random() * blocks);
  for (let tried = 0; tried < blocks; tried++) {
    const claimPort = firstPort + ((start + tried) % blocks) * blockSize;
    const claim = await listenOn(claimPort);
    if (claim === undefined) continue;
    claim.unref();
    const first = claimPort + 1;
    if (await allFree(first, count)) return { first, release: () => close(claim) };
    await close(claim);
  }
  throw new Error(
    `no ${count} free ports on 127.0.0.1 between ${firstPort} and ${firstPort + blocks * blockSize}`,
  );
}

async function allFree(first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port++) {
    const server = await listenOn(port);
    if (server === undefined) return false;
    await close(server);
  }
  return true;
}

const listenOn = (port: number) => listen({ port, host: '127.0.0.1' });

/** Undefined: the address is taken. */
export async function listen(options: ListenOptions): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(options);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

export async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
