// A cell with a queue of some pods, and jobs that end when the test says so. A witness looks at
// their pods all the time.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { LABEL_JOB } from '../../../src/api/batch-job.ts';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { ledgerName, parseLedger, type QueueLedger } from '../../../src/api/ledger.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import { parseConfigMap } from '../../../src/api/observed.ts';
import { orNothing } from '../../../src/runtime/client/errors.ts';
import { PodWitness } from '../../support/pod-witness.ts';
import { eventually } from '../../support/processes.ts';
import { type Arena, OperatedNamespace } from '../operated-namespace.ts';

export const LEDGERS = 'swarm-operator';
const PATIENCE_SECONDS = 60;

export const environment = {
  SWARM_KINDS: 'queues,jobs',
  SWARM_LEDGER_NAMESPACE: LEDGERS,
} as const;

export class JobCell extends OperatedNamespace {
  readonly #quota: number;
  readonly #witness: PodWitness;
  readonly #atEnd: (() => Promise<unknown>)[] = [];

  constructor(arena: Arena, namespace: string, quota: number) {
    super(arena, namespace);
    this.#quota = quota;
    this.#witness = new PodWitness(arena.swarm.api, namespace, quota);
  }

  async createQueue(): Promise<void> {
    const spec = { quota: { pods: String(this.#quota) } };
    await this.swarm.create(kinds.SwarmQueue, this.namespace, 'batch', { spec });
  }

  /** A gang of two that ends when it is told to. */
  async submit(name: string, fields: object = {}): Promise<void> {
    const command = ['sh', '-c', 'while [ ! -e "$0" ]; do sleep 0.1; done', this.endOf(name)];
    await this.swarm.create(kinds.SwarmJob, this.namespace, name, {
      spec: { queueName: 'batch', size: 2, image: 'busybox', command, ...fields },
    });
  }

  suspend(name: string, isSuspended: boolean): Promise<void> {
    return this.patch(`swarmjob/${name}`, { spec: { suspend: isSuspended } });
  }

  /** `why`: words of its reason or message. */
  until(name: string, state: string, why = ''): Promise<void> {
    return this.untilStatus(kinds.SwarmJob, name, `is ${state} ${why}`, (status) => {
      const text = `${dig(status, 'reason')}: ${dig(status, 'message')}`;
      return dig(status, 'state') === state && text.includes(why);
    });
  }

  tellToEnd(name: string): void {
    writeFileSync(this.endOf(name), '');
  }

  async finish(name: string): Promise<void> {
    this.tellToEnd(name);
    await this.until(name, 'Succeeded');
  }

  /** The file that tells it to end. */
  endOf(name: string): string {
    return path.join(this.folder, `${name}.end`);
  }

  /** Undefined: there is no such object. */
  object(kind: Kind, name: string): Promise<KubeObject | undefined> {
    return orNothing(this.swarm.api.get(kind, { namespace: this.namespace, name }));
  }

  async status(kind: Kind, name: string): Promise<unknown> {
    return (await this.object(kind, name))?.['status'];
  }

  async untilStatus(
    kind: Kind,
    name: string,
    what: string,
    isSo: (status: unknown) => boolean,
  ): Promise<void> {
    let last: unknown;
    const condition = async (): Promise<boolean> => {
      last = await this.status(kind, name);
      return isSo(last);
    };
    await this.eventually(`${name} ${what}`, condition).catch((error: Error) => {
      throw new Error(`${error.message}; its status is ${JSON.stringify(last)}`);
    });
  }

  eventually(what: string, condition: () => Promise<boolean>): Promise<void> {
    return eventually(`${this.namespace}: ${what}`, condition, PATIENCE_SECONDS);
  }

  /** The job is at this attempt, and has had so many disruptions and no other failure. */
  async mustHave(name: string, attempt: number, disruptions: number): Promise<void> {
    const status = await this.status(kinds.SwarmJob, name);
    const { disruption = 0, ...others } = Object(dig(status, 'failures'));
    const isOnly = Object.values(others).every((count) => count === 0);
    if (dig(status, 'attempt') !== attempt || disruption !== disruptions || !isOnly)
      throw new Error(
        `${this.namespace}: ${name} must be at attempt ${attempt} after ${disruptions} disruptions: ${JSON.stringify(status)}`,
      );
  }

  async pods(): Promise<readonly KubeObject[]> {
    return (await this.swarm.api.list(kinds.Pod, this.namespace)).items;
  }

  async podsOf(job: string): Promise<readonly KubeObject[]> {
    return (await this.pods()).filter(({ metadata }) => metadata.labels?.[LABEL_JOB] === job);
  }

  async ledger(): Promise<QueueLedger | undefined> {
    const ref = { namespace: LEDGERS, name: ledgerName(this.namespace) };
    const found = await orNothing(this.swarm.api.get(kinds.ConfigMap, ref));
    return found && parseLedger(parseConfigMap(found));
  }

  /** What was wrong with the pods that lived together. */
  async witnessed(): Promise<readonly string[]> {
    return (await this.#witness.stop()).problems;
  }

  /** Also when the cell fails. */
  atEnd(work: () => Promise<unknown>): void {
    this.#atEnd.push(work);
  }

  override async close(): Promise<void> {
    await this.#witness.stop();
    for (const work of this.#atEnd) await work();
    await super.close();
  }
}
