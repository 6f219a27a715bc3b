// Which gangs lost a rank that was deleted or evicted, and that ended well on the signal?
// Kubernetes counts it as completed, and the others run on without it.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { hasEnded, isTerminating, ownerUid } from '../../cluster/facts.ts';
import { GRANT } from './scene.ts';

export class CutShort {
  readonly #server: ApiServer;
  /** Pods that were told to end. */
  readonly #told = new Set<string>();
  /** By batch Job: its SwarmJob. */
  readonly #jobs = new Map<string, string>();
  /** Batch Jobs of which no operator may have seen that. */
  #unseen: ReadonlySet<string> = new Set();

  constructor(server: ApiServer) {
    this.#server = server;
    server.onChange(kinds.Pod, () => this.#look());
  }

  #look(): void {
    const pods = this.#server.all({ kind: kinds.Pod });
    for (const pod of pods) {
      const { uid = '' } = pod.metadata;
      if (isTerminating(pod) && !hasEnded(pod)) this.#told.add(uid);
      if (this.#told.has(uid) && dig(pod, 'status', 'phase') === 'Succeeded') this.#note(pod, pods);
    }
  }

  #note(pod: KubeObject, pods: readonly KubeObject[]): void {
    const batchUid = ownerUid(pod) ?? '';
    const batchJob = this.#server
      .all({ kind: kinds.Job })
      .find(({ metadata }) => metadata.uid === batchUid);
    const owner = batchJob && ownerUid(batchJob);
    const lives = pods.some((it) => ownerUid(it) === batchUid && !hasEnded(it));
    if (owner !== undefined && lives && mayRun(batchJob)) this.#jobs.set(batchUid, owner);
  }

  /** They still do, and an operator has seen why they may not. */
  runningOn(): readonly KubeObject[] {
    const pods = this.#server.all({ kind: kinds.Pod });
    return this.#server
      .all({ kind: kinds.Job })
      .filter(({ metadata: { uid = '' } }) => this.#jobs.has(uid) && !this.#unseen.has(uid))
      .filter(mayRun)
      .filter(({ metadata }) =>
        pods.some((pod) => ownerUid(pod) === metadata.uid && !isTerminating(pod) && !hasEnded(pod)),
      );
  }

  /** No operator need have seen what has happened so far. */
  forget(): void {
    this.#unseen = new Set(this.#jobs.keys());
  }
}

const mayRun = (job: KubeObject | undefined): boolean =>
  dig(job, 'spec', 'suspend') !== true && Number(job?.metadata.annotations?.[GRANT]) % 2 === 0;
