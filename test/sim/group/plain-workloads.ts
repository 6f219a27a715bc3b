// What do the controllers of plain Deployments and StatefulSets do? They follow spec and template
// as the real ones do; their pods become Ready a while later, unless something keeps them from it.
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { Actor, type Surroundings } from '../cluster/actor.ts';
import { isTerminating, replicasOf, revisionOf } from '../cluster/facts.ts';
import { PLAIN } from './manifests.ts';
import {
  type DeploymentState,
  deploymentStatus,
  noDeployment,
  stepDeployment,
} from './workloads/deployment.ts';
import { readyAmong, type Seen, type SimPod } from './workloads/pod.ts';
import {
  noStatefulSet,
  type StatefulSetState,
  statefulSetStatus,
  stepStatefulSet,
} from './workloads/stateful-set.ts';

/** By UID: another object of the same name starts with nothing. */
type States<T> = Map<string, T>;

/** A template of this revision names an image that is not there. */
export const isBrokenImage = (revision: unknown): boolean =>
  asString(revision)?.startsWith('missing') === true;

const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';
/** Between two looks at workloads that still change. */
const PACE_MS = [20, 120] as const;

export class PlainWorkloads {
  readonly #in: Surroundings;
  readonly #deployments: States<DeploymentState> = new Map();
  readonly #statefulSets: States<StatefulSetState> = new Map();
  /** By name: none of their pods is Ready before. */
  readonly #brokenUntil = new Map<string, number>();
  /** By name: their pods start this much later. */
  readonly #slowMs = new Map<string, number>();
  /** By name: as many of its pods find a place. */
  readonly #room = new Map<string, number>();
  readonly #actor: Actor;

  constructor(surroundings: Surroundings) {
    this.#in = surroundings;
    this.#actor = new Actor(surroundings, [kinds.Deployment, kinds.StatefulSet], () =>
      this.#round(),
    );
  }

  /** Its pods fail, and none becomes Ready for so long. */
  breakFor(name: string, forMs: number): void {
    const { clock } = this.#in;
    const until = Math.max(clock.monotonic() + forMs, this.#brokenUntil.get(name) ?? 0);
    this.#brokenUntil.set(name, until);
    this.#changePods(name, (pods) =>
      pods.map((pod) => ({ ...pod, readyAtMs: Math.max(pod.readyAtMs, this.#after(until)) })),
    );
  }

  mend(name: string): void {
    const now = this.#in.clock.monotonic();
    this.#brokenUntil.delete(name);
    this.#slowMs.delete(name);
    this.#room.delete(name);
    const isMended = (pod: SimPod): boolean =>
      pod.readyAtMs < Number.POSITIVE_INFINITY || pod.isPending === true;
    this.#changePods(name, (pods) =>
      pods.map((pod) =>
        isMended(pod)
          ? { revision: pod.revision, readyAtMs: Math.min(pod.readyAtMs, this.#after(now)) }
          : pod,
      ),
    );
  }

  /** Further pods of it find no place. */
  limit(name: string, pods: number): void {
    this.#room.set(name, pods);
  }

  /** From now on each pod takes so long to start. */
  slowDown(name: string, byMs: number): void {
    this.#slowMs.set(name, byMs);
  }

  /** So many of its pods are gone: their node was drained. */
  lose(name: string, count: number): void {
    this.#changePods(name, (pods) => pods.slice(0, Math.max(0, pods.length - count)));
  }

  /** Nothing keeps its pods from becoming Ready in a second. */
  isWell(name: string): boolean {
    const now = this.#in.clock.monotonic();
    const isBroken = (this.#brokenUntil.get(name) ?? 0) > now;
    if (isBroken || this.#slowMs.has(name) || this.#room.has(name)) return false;
    return this.#all().every(
      (workload) => workload.metadata.name !== name || !isStuck(workload, this.#podsOf(workload)),
    );
  }

  /** By the labels of their pods: the workloads that have Ready ones, and these. */
  ready(isMeant: (labels: unknown) => boolean): {
    readonly workloads: number;
    readonly pods: number;
  } {
    const now = this.#in.clock.monotonic();
    const counts = this.#all()
      .filter((workload) => isMeant(dig(workload, 'spec', 'template', 'metadata', 'labels')))
      .map((it) => readyAmong(this.#podsOf(it), now))
      .filter((count) => count > 0);
    return { workloads: counts.length, pods: counts.reduce((sum, count) => sum + count, 0) };
  }

  #all(): readonly KubeObject[] {
    const { server } = this.#in;
    return [kinds.Deployment, kinds.StatefulSet]
      .flatMap((kind) => server.all({ kind }))
      .filter((it) => it.metadata.labels?.[PLAIN] !== undefined && !isTerminating(it));
  }

  #podsOf({ kind, metadata: { uid = '' } }: KubeObject): readonly SimPod[] {
    if (kind === 'Deployment') return this.#deployments.get(uid)?.pods ?? [];
    return this.#statefulSets.get(uid)?.pods.filter((pod) => pod !== undefined) ?? [];
  }

  #changePods(name: string, change: (pods: readonly SimPod[]) => readonly SimPod[]): void {
    for (const { kind, metadata } of this.#all()) {
      if (metadata.name !== name) continue;
      const { uid = '' } = metadata;
      const deployment = this.#deployments.get(uid);
      const set = this.#statefulSets.get(uid);
      if (kind === 'Deployment' && deployment !== undefined)
        this.#deployments.set(uid, { ...deployment, pods: change(deployment.pods) });
      else if (set !== undefined)
        this.#statefulSets.set(uid, {
          ...set,
          pods: change(set.pods.filter((pod) => pod !== undefined)),
        });
    }
    this.#actor.poke();
  }

  #after(ms: number): number {
    return ms + this.#in.random.between(20, 250);
  }

  #round(): void {
    const { server, clock, random } = this.#in;
    const now = clock.monotonic();
    let isMoving = false;
    let next = Number.POSITIVE_INFINITY;
    for (const workload of this.#all()) {
      const seen = this.#seen(workload);
      const { uid = '', generation = 1 } = workload.metadata;
      const isDeployment = workload.kind === 'Deployment';
      const before = JSON.stringify(
        isDeployment ? this.#deployments.get(uid) : this.#statefulSets.get(uid),
      );
      const told = isDeployment ? this.#deployment(uid, seen) : this.#statefulSet(workload, seen);
      const after = JSON.stringify(
        isDeployment ? this.#deployments.get(uid) : this.#statefulSets.get(uid),
      );
      isMoving ||= before !== after;
      const status = { observedGeneration: generation, ...told };
      if (JSON.stringify(status) !== JSON.stringify(workload['status'])) {
        const { resourceVersion: _, ...metadata } = workload.metadata;
        const kind = isDeployment ? kinds.Deployment : kinds.StatefulSet;
        server.replace(kind, { ...workload, metadata, status }, 'status');
      }
      if (isDeployment) this.#annotate(workload);
      for (const pod of this.#podsOf(workload))
        if (pod.readyAtMs > now) next = Math.min(next, pod.readyAtMs);
    }
    const paceMs = random.between(...PACE_MS);
    if (isMoving) this.#actor.poke(paceMs);
    else if (next < Number.POSITIVE_INFINITY)
      clock.after(next - now, () => this.#actor.poke(random.between(1, 20)));
  }

  #seen(workload: KubeObject): Seen {
    const nowMs = this.#in.clock.monotonic();
    const { name } = workload.metadata;
    const from = Math.max(nowMs, this.#brokenUntil.get(name) ?? 0);
    const placed = this.#podsOf(workload).filter((pod) => pod.isPending !== true).length;
    let room = (this.#room.get(name) ?? Number.POSITIVE_INFINITY) - placed;
    return {
      nowMs,
      replicas: replicasOf(workload),
      revision: revisionOf(workload),
      isImageThere: !isBrokenImage(dig(workload, 'spec', 'template', 'spec', 'revision')),
      startsUntilMs: () => {
        room -= 1;
        const readyAtMs = this.#after(from) + (this.#slowMs.get(name) ?? 0);
        return room < 0 ? undefined : readyAtMs;
      },
    };
  }

  #deployment(uid: string, seen: Seen): object {
    const state = stepDeployment(this.#deployments.get(uid) ?? noDeployment, seen);
    this.#deployments.set(uid, state);
    return deploymentStatus(state, seen);
  }

  #statefulSet(workload: KubeObject, seen: Seen): object {
    const { uid = '' } = workload.metadata;
    const isParallel = dig(workload, 'spec', 'podManagementPolicy') === 'Parallel';
    const before = this.#statefulSets.get(uid) ?? noStatefulSet;
    const state = stepStatefulSet(before, seen, isParallel);
    this.#statefulSets.set(uid, state);
    return statefulSetStatus(state, seen);
  }

  /** The controller counts templates on the Deployment itself. */
  #annotate({ metadata: { namespace = '', name, uid = '' } }: KubeObject): void {
    const { server } = this.#in;
    const revisions = String(this.#deployments.get(uid)?.revisions ?? 0);
    const present = server.find(kinds.Deployment, { namespace, name });
    if (present?.metadata.annotations?.[REVISION_ANNOTATION] === revisions) return;
    server.merge(
      kinds.Deployment,
      { namespace, name },
      { metadata: { annotations: { [REVISION_ANNOTATION]: revisions } } },
    );
  }
}

/** A pod of it can never start. */
const isStuck = (workload: KubeObject, pods: readonly SimPod[]): boolean =>
  isBrokenImage(dig(workload, 'spec', 'template', 'spec', 'revision')) ||
  pods.some((pod) => pod.readyAtMs === Number.POSITIVE_INFINITY);
