// Which loopback ports may this control plane use?
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the ports that kernels give to outgoing connections (from 32768 on Linux, from 49152 on
 * macOS) and below Kubernetes' node ports (from 30000): so a component that is restarted finds its
 * port free again.
 */
const firstPort = 20_000;
const blockSize = 8;
const blocks = 1_240;

export interface PortClaim {
  /** As many consecutive ports as were asked for, from this one on. */
  readonly first: number;
  release(): Promise<void>;
}

/**
 * A block of ports belongs to who listens on its lowest port. That is held as long as the claim, so
 * other claimants on this machine keep off the whole block, also while a component is not yet or
 * not just now listening; and the kernel ends the claim of a process that was killed.
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
    const claim = await listen(claimPort);
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
    const server = await listen(port);
    if (server === undefined) return false;
    await close(server);
  }
  return true;
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await closed;
}
