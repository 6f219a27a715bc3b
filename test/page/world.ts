// An operator with a page on a local Kubernetes: it can be restarted at the same address, and its
// workers can be made silent.
import type { OperatorProcess } from '../../src/playground/operator-process.ts';
import { claimPorts, type PortClaim } from '../../src/playground/processes/ports.ts';
import { signalIfThere } from '../../src/playground/processes/processes.ts';
import { Swarm } from '../integration/support/swarm.ts';

export class PageWorld {
  readonly swarm: Swarm;
  readonly base: string;
  readonly #claim: PortClaim;
  #operator: OperatorProcess | undefined;
  readonly #silenced = new Set<number>();

  private constructor(swarm: Swarm, claim: PortClaim) {
    this.swarm = swarm;
    this.#claim = claim;
    this.base = `http://127.0.0.1:${claim.first}`;
  }

  static async start(options: Parameters<typeof Swarm.start>[0] = {}): Promise<PageWorld> {
    const world = new PageWorld(await Swarm.start(options), await claimPorts(2));
    await world.startOperator();
    return world;
  }

  async startOperator(): Promise<void> {
    this.#operator = await this.swarm.operator(
      '--leader-election',
      'false',
      '--introspection-port',
      String(this.#claim.first),
    );
  }

  /** Starts a replica that may not have the Lease and never leads; returns where its page is. */
  async startReplica(): Promise<{ readonly address: string; readonly end: () => Promise<void> }> {
    const port = this.#claim.first + 1;
    const replica = await this.swarm.operator(
      '--lease-namespace',
      'default',
      '--introspection-port',
      String(port),
    );
    return { address: `http://127.0.0.1:${port}/`, end: () => replica.end() };
  }

  async endOperator(): Promise<void> {
    await this.#operator?.end('SIGKILL');
  }

  /** Freezes its processes: it is there, and does not answer. */
  silence(worker: string, namespace: string): void {
    const pod = this.swarm.playground.nodes
      .flatMap(({ pods }) => pods)
      .find((it) => it.name === worker && it.namespace === namespace);
    for (const pid of pod?.pids ?? []) {
      signalIfThere(pid, 'SIGSTOP');
      this.#silenced.add(pid);
    }
    if (this.#silenced.size === 0) throw new Error(`${namespace}/${worker} has no processes`);
  }

  wake(): void {
    for (const pid of this.#silenced) signalIfThere(pid, 'SIGCONT');
    this.#silenced.clear();
  }

  async stop(): Promise<void> {
    this.wake();
    await this.swarm.stop();
    await this.#claim.release();
  }
}
