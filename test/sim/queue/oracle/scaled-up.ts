// What had an operator been told of batch Jobs that their users scaled up while they ran? Users may
// do so at any time: the operator answers for what it was told before it decided.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import { times } from './amounts.ts';
import { hasEnd, sizeOf } from './demands.ts';
import type { Entry, LivePod } from './scene.ts';

/** An operator process, and when it sent a write. */
export type Decider = { readonly identity: string; readonly atMs: number };

type Told = {
  readonly atMs: number;
  readonly version: number;
  /** Of a Job: how many pods it runs at a time, and whether it does. */
  readonly size: number;
  readonly runs: boolean;
};

type InUse = { readonly entries: readonly Entry[]; readonly pods: readonly LivePod[] };

export class ScaledUp {
  readonly #now: () => number;
  /** By UID of the Job: its size as its user wrote it. */
  readonly #sizes = new Map<string, number>();
  /** By operator process and object: what lists, events and answers to its own writes told. */
  readonly #told = new Map<string, Told[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** By its user. */
  note(job: KubeObject): void {
    this.#sizes.set(job.metadata.uid ?? '', sizeOf(job));
  }

  tell(identity: string, object: KubeObject): void {
    const { kind, metadata, spec } = object;
    if (kind !== kinds.Job.kind && kind !== kinds.Pod.kind) return;
    const key = keyOf(identity, kind === kinds.Job.kind ? metadata.uid : metadata.name);
    const told = {
      atMs: this.#now(),
      version: Number(metadata.resourceVersion),
      size: sizeOf(object),
      runs: dig(spec, 'suspend') !== true && !hasEnd(object),
    };
    this.#told.set(key, [...(this.#told.get(key) ?? []), told]);
  }

  /** The API server is what it was before. */
  forget(): void {
    this.#told.clear();
  }

  /**
   * Once the operator was told of its size, such a Job counts with it, as long as it runs. Before,
   * it counts without pods beyond those that it was admitted for, unless the operator was told of
   * them.
   */
  asTold(by: Decider, { entries, pods }: InUse): InUse {
    const untold = new Set<LivePod>();
    const counted = entries.map((entry): Entry => {
      const { uid, size, requests } = entry;
      if ((this.#sizes.get(uid) ?? 0) <= size) return entry;
      const job = this.#newest(by, keyOf(by.identity, uid));
      if (job !== undefined && job.size > size)
        return { ...entry, requests: times(requests, job.runs ? job.size / size : 1) };
      const own = pods.filter(({ jobUid }) => jobUid === uid);
      const isTold = (pod: LivePod): boolean =>
        this.#newest(by, keyOf(by.identity, pod.name)) !== undefined;
      const unknown = own.filter((pod) => !isTold(pod));
      for (const pod of unknown.slice(Math.max(0, size - (own.length - unknown.length))))
        untold.add(pod);
      return entry;
    });
    return { entries: counted, pods: pods.filter((pod) => !untold.has(pod)) };
  }

  /** Events and answers come in any order. */
  #newest({ atMs }: Decider, key: string): Told | undefined {
    const before = (this.#told.get(key) ?? []).filter((told) => told.atMs < atMs);
    return before.sort((a, b) => b.version - a.version)[0];
  }
}

/** The UID of a Job, the name of a pod. */
const keyOf = (identity: string, of = ''): string => `${identity} ${of}`;
