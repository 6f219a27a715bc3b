// How can pods be there without processes? Each has an address of its own, at which one server
// answers for all; this says their status, and ends them.
import type { Server } from 'node:http';
import { createServer as createListener, type Server as Listener } from 'node:net';
import { kinds } from '../../src/api/kinds.ts';
import type { KubeObject } from '../../src/api/objects.ts';
import { type Addresses, claimAddresses } from '../../src/playground/node/addresses.ts';
import type { NodeApi } from '../../src/playground/node/requests.ts';

const PORT = 9090;

export type PodAddress = {
  readonly address: string;
  readonly listener: Listener;
  readonly free: () => void;
};

export class PodAddresses {
  readonly #server: Server;
  readonly #ranges: Addresses[] = [];

  /** Gets the connections of all addresses. */
  constructor(server: Server) {
    this.#server = server;
  }

  async take(): Promise<PodAddress> {
    for (const range of this.#ranges) {
      const address = range.take();
      if (address === undefined) continue;
      const listener = createListener((socket) => this.#server.emit('connection', socket));
      await new Promise<void>((resolve, reject) =>
        listener.once('error', reject).listen(PORT, address, resolve),
      );
      return { address, listener, free: () => range.giveBack(address) };
    }
    this.#ranges.push(await claimAddresses());
    return this.take();
  }

  /** With those that are still taken. */
  async close(taken: readonly PodAddress[]): Promise<void> {
    for (const { listener } of taken) listener.close();
    this.#server.closeAllConnections();
    await Promise.all(this.#ranges.map((range) => range.close()));
  }
}

/** Of a pod that is Ready from now on. */
export function readyStatus(address: string): object {
  const startTime = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  const conditions = ['Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: startTime,
  }));
  const podIPs = [{ ip: address }];
  return { phase: 'Running', conditions, hostIP: '127.0.0.1', podIP: address, podIPs, startTime };
}

/** It has no process that could need a grace period. */
export async function endPod({ api }: NodeApi, { metadata }: KubeObject): Promise<void> {
  const { name, namespace = '', uid = '' } = metadata;
  await api.delete(kinds.Pod, { name, namespace }, { uid }, { gracePeriodSeconds: 0 });
}
