// A cell with a queue of two pods and gangs of two. Each job ends when the test says so; a witness
// looks at its pods all the time.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LABEL_JOB } from '../../../src/api/batch-job.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { ledgerName, parseLedger, type QueueLedger } from '../../../src/api/ledger.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { parseConfigMap } from '../../../src/api/observed.ts';
import { orNothing } from '../../../src/runtime/client/errors.ts';
import { eventually } from '../../support/processes.ts';
import { OperatedNamespace } from '../operated-namespace.ts';

const LEDGERS = 'swarm-operator';
const QUOTA = 2;
const LOOK_MS = 50;
const PATIENCE_SECONDS = 60;

export const environment = {
  SWARM_KINDS: 'queues,jobs',
  SWARM_LEDGER_NAMESPACE: LEDGERS,
} as const;

export class JobCell extends OperatedNamespace {
  readonly #problems = new Set<string>();
  #isWatching = true;
  #looking: Promise<void> = Promise.resolve();

  async createQueue(): Promise<void> {
    await this.swarm.create(kinds.SwarmQueue, this.namespace, 'batch', {
      spec: { quota: { pods: String(QUOTA) } },
    });
    this.#looking = this.#look();
  }

  /** A gang that needs the whole quota. */
  async submit(name: string): Promise<void> {
    const end = path.join(this.folder, `${name}.end`);
    const command = ['sh', '-c', 'while [ ! -e "$0" ]; do sleep 0.1; done', end];
    await this.swarm.create(kinds.SwarmJob, this.namespace, name, {
      spec: { queueName: 'batch', size: QUOTA, image: 'busybox', command },
    });
  }

  suspend(name: string, isSuspended: boolean): Promise<void> {
    return this.patch(`swarmjob/${name}`, { spec: { suspend: isSuspended } });
  }

  async until(name: string, state: string): Promise<void> {
    await eventually(
      `${this.namespace}: job ${name} is ${state}`,
      async () => dig(await this.#status(name), 'state') === state,
      PATIENCE_SECONDS,
    );
  }

  async finish(name: string): Promise<void> {
    writeFileSync(path.join(this.folder, `${name}.end`), '');
    await this.until(name, 'Succeeded');
  }

  async attemptOf(name: string): Promise<unknown> {
    return dig(await this.#status(name), 'attempt');
  }

  async ledger(): Promise<QueueLedger | undefined> {
    const ref = { namespace: LEDGERS, name: ledgerName(this.namespace) };
    const found = await orNothing(this.swarm.api.get(kinds.ConfigMap, ref));
    return found && parseLedger(parseConfigMap(found));
  }

  /** All pods that ran together, and what was wrong with that. */
  async witnessed(): Promise<readonly string[]> {
    this.#isWatching = false;
    await this.#looking;
    return [...this.#problems];
  }

  override async close(): Promise<void> {
    this.#isWatching = false;
    await this.#looking;
    await super.close();
  }

  async #status(name: string): Promise<unknown> {
    const job = await this.swarm.api.get(kinds.SwarmJob, { namespace: this.namespace, name });
    return job['status'];
  }

  /** An API server that restarts has nothing to tell. */
  async #look(): Promise<void> {
    while (this.#isWatching) {
      const list = await this.swarm.api.list(kinds.Pod, this.namespace).catch(() => undefined);
      for (const problem of problemsOf(list?.items ?? [])) this.#problems.add(problem);
      await delay(LOOK_MS);
    }
  }
}

function problemsOf(pods: readonly KubeObject[]): readonly string[] {
  const living = pods.filter(
    (pod) => !['Succeeded', 'Failed'].includes(asString(dig(pod, 'status', 'phase')) ?? ''),
  );
  const names = living.map(({ metadata }) => metadata.name).sort();
  const jobs = Map.groupBy(living, ({ metadata }) => metadata.labels?.[LABEL_JOB] ?? '');
  const twice = [...jobs].filter(
    ([, own]) => new Set(own.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).size > 1,
  );
  return [
    ...(living.length > QUOTA ? [`${living.length} pods of ${QUOTA} live: ${names}`] : []),
    ...twice.map(([job]) => `two attempts of ${job} live`),
  ];
}
