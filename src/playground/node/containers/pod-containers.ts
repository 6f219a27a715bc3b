// The containers of a pod.
import type { V1Container } from '@kubernetes/client-node';
import type { Facts } from '../pods/actions.ts';
import type { ContainerRunner } from './container.ts';

export class PodContainers {
  readonly #runners: ReadonlyMap<string, ContainerRunner>;

  constructor(runners: Iterable<readonly [string, ContainerRunner]>) {
    this.#runners = new Map(runners);
  }

  get(name: string): ContainerRunner | undefined {
    return this.#runners.get(name);
  }

  get facts(): Facts {
    return new Map([...this.#runners].map(([name, { facts }]) => [name, facts]));
  }

  get pids(): readonly number[] {
    return [...this.#runners.values()].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  get running(): readonly string[] {
    return [...this.#runners].filter(([, { isRunning }]) => isRunning).map(([name]) => name);
  }

  haveSucceeded(containers: readonly V1Container[]): boolean {
    const states = this.#of(containers).map(({ facts }) => facts.state);
    return states.every((state) => state.type === 'terminated' && state.exitCode === 0);
  }

  stop(graceSeconds: number): void {
    for (const runner of this.#runners.values()) runner.stop(graceSeconds * 1000);
  }

  /** Main containers first, then the sidecars, the last one first. */
  stopInOrder(
    mains: readonly V1Container[],
    inits: readonly V1Container[],
    graceSeconds: number,
  ): void {
    for (const runner of this.#runners.values()) runner.stopProbes();
    const served = this.#of(mains).filter(({ isRunning }) => isRunning);
    const serving = this.#of(inits).filter(({ isRunning }) => isRunning);
    for (const runner of served.length > 0 ? served : serving.slice(-1))
      runner.stop(graceSeconds * 1000);
  }

  kill(): void {
    for (const runner of this.#runners.values()) runner.kill();
  }

  async gone(): Promise<void> {
    await Promise.all([...this.#runners.values()].map((runner) => runner.gone()));
  }

  #of(containers: readonly V1Container[]): ContainerRunner[] {
    return containers.flatMap(({ name }) => this.#runners.get(name) ?? []);
  }
}
