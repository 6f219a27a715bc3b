// Which workloads are there, which pods belong to them, and what scales them? Cached once for all
// kinds. A pod belongs to its controller, by namespace, kind and UID, not by labels.
import { type Kind, kinds } from '../../api/kinds.ts';
import type { Ref } from '../../api/objects.ts';
import {
  type Autoscaler,
  type Pod,
  parseAutoscaler,
  parsePod,
  parseReplicaSet,
  parseTarget,
  type ReplicaSet,
  type Target,
  type TargetKind,
} from '../../api/observed.ts';
import { slimAutoscaler, slimPod, slimReplicaSet, slimWorkload } from '../../api/slim.ts';
import type { Change, Slim } from '../client/api.ts';
import { Cache } from '../watch/cache.ts';
import type { Subscription } from '../watch/subscriptions.ts';

type WorkloadListener = {
  /** Something about these workloads, their pods or their autoscalers has changed. */
  readonly onWorkloads: (workloads: readonly Target[]) => void;
  /** Any pod has changed: before and after. */
  readonly onPod?: (pod: Ref, before: Pod | undefined, after: Pod | undefined) => void;
  /** These autoscalers were created, changed or deleted. */
  readonly onAutoscalers?: (autoscalers: readonly Autoscaler[]) => void;
};

/** Several API groups may have a kind of one name. */
type GroupKind = Pick<Kind, 'group' | 'kind'>;

export class Workloads {
  readonly #listeners: WorkloadListener[] = [];
  readonly #workloads: Readonly<Record<TargetKind, WorkloadCache>> = {
    StatefulSet: workloadCache('StatefulSet'),
    Deployment: workloadCache('Deployment'),
  };
  readonly #replicaSets = new Cache(parseReplicaSet, {
    uid: (set: ReplicaSet) => [ownerKey(set.namespace, 'ReplicaSet', set.uid)],
    owner: (set: ReplicaSet) =>
      set.ownerUid === undefined ? [] : [ownerKey(set.namespace, 'Deployment', set.ownerUid)],
  });
  readonly #pods = new Cache(parsePod, { owner: (pod: Pod) => ownersIn(pod) });
  readonly #autoscalers = new Cache(parseAutoscaler, {
    target: ({ namespace, targetGroup, targetKind, targetName }: Autoscaler) => [
      `${namespace}/${targetKind}.${targetGroup}/${targetName}`,
    ],
  });

  /** For a kind that reads the sizes of workloads and what scales them. */
  readonly sizes: readonly Subscription[] = [
    this.#ofWorkload('StatefulSet'),
    this.#ofWorkload('Deployment'),
    subscribe(kinds.HorizontalPodAutoscaler, slimAutoscaler, (change) => {
      const { before, after } = this.#autoscalers.apply(change);
      const autoscalers = present([before, after]);
      for (const { onAutoscalers } of this.#listeners) onAutoscalers?.(autoscalers);
      this.#tell(
        autoscalers.flatMap(({ namespace, targetName: name }) =>
          present(Object.values(this.#workloads).map((cache) => cache.get({ namespace, name }))),
        ),
      );
    }),
  ];

  /** For a kind that reads their pods, too. */
  readonly subscriptions: readonly Subscription[] = [
    ...this.sizes,
    subscribe({ ...kinds.ReplicaSet, metadataOnly: true }, slimReplicaSet, (change) => {
      const { before, after } = this.#replicaSets.apply(change);
      this.#tell(this.#deploymentsOf(present([before, after])));
    }),
    subscribe(kinds.Pod, slimPod, (change) => {
      const { before, after } = this.#pods.apply(change);
      for (const { onPod } of this.#listeners) onPod?.(change.object.metadata, before, after);
      this.#tell(present([before, after]).flatMap((pod) => this.ownersOf(pod)));
    }),
  ];

  listen(listener: WorkloadListener): void {
    this.#listeners.push(listener);
  }

  get(kind: TargetKind, ref: Ref): Target | undefined {
    return this.#workloads[kind].get(ref);
  }

  labelled(
    kind: TargetKind,
    namespace: string,
    label: readonly [string, string],
  ): readonly Target[] {
    return this.#workloads[kind].by('label', labelKey(namespace, label));
  }

  of(kind: TargetKind, namespace: string): readonly Target[] {
    return this.#workloads[kind].by('namespace', namespace);
  }

  pod(ref: Ref): Pod | undefined {
    return this.#pods.get(ref);
  }

  podsOf({ kind, namespace, uid }: Target): readonly Pod[] {
    const owner = ownerKey(namespace, kind, uid);
    if (kind === 'StatefulSet') return this.#pods.by('owner', owner);
    return this.#replicaSets
      .by('owner', owner)
      .flatMap((set) => this.#pods.by('owner', ownerKey(set.namespace, 'ReplicaSet', set.uid)));
  }

  /** The StatefulSet or Deployment that a pod belongs to, if it exists. */
  ownersOf(pod: Pod | undefined): readonly Target[] {
    if (pod === undefined) return [];
    const [owner] = ownersIn(pod);
    if (owner === undefined) return [];
    return [
      ...this.#workloads.StatefulSet.by('uid', owner),
      ...this.#deploymentsOf(this.#replicaSets.by('uid', owner)),
    ];
  }

  /** The HorizontalPodAutoscaler that scales an object of this kind. */
  autoscalerOf({ group, kind }: GroupKind, { namespace, name }: Ref): string | undefined {
    return this.#autoscalers.by('target', `${namespace}/${kind}.${group}/${name}`)[0]?.name;
  }

  #ofWorkload(kind: TargetKind): Subscription {
    return subscribe(kinds[kind], slimWorkload, (change) => {
      const { before, after } = this.#workloads[kind].apply(change);
      this.#tell(present([before, after]));
    });
  }

  #tell(workloads: readonly Target[]): void {
    for (const { onWorkloads } of this.#listeners) onWorkloads(workloads);
  }

  #deploymentsOf(sets: readonly ReplicaSet[]): readonly Target[] {
    const owners = sets.flatMap(({ namespace, ownerUid }) =>
      ownerUid === undefined ? [] : [ownerKey(namespace, 'Deployment', ownerUid)],
    );
    return [...new Set(owners)].flatMap((owner) => this.#workloads.Deployment.by('uid', owner));
  }
}

/** What can be asked of them: who observes changes nothing. */
export type KnownWorkloads = Omit<Workloads, 'listen' | 'sizes' | 'subscriptions'>;

const subscribe = (
  kind: Kind,
  slim: Slim['slim'],
  onChange: (change: Change) => void,
): Subscription => ({ kind, slim, onChange });

/** With the namespace: a user cannot make pods belong to a workload of another namespace. */
const ownerKey = (namespace: string, kind: string, uid: string): string =>
  `${namespace}/${kind}/${uid}`;

const ownersIn = ({ namespace, ownerKind, ownerUid }: Pod): readonly string[] =>
  ownerKind === undefined || ownerUid === undefined
    ? []
    : [ownerKey(namespace, ownerKind, ownerUid)];

const present = <T>(values: readonly (T | undefined)[]): readonly T[] =>
  values.filter((value) => value !== undefined);

/** With the namespace: users choose labels freely. */
const labelKey = (namespace: string, [key, value]: readonly [string, string]): string =>
  `${namespace}/label ${key}=${value}`;

type WorkloadCache = Cache<Target, 'label' | 'namespace' | 'uid'>;

const workloadCache = (kind: TargetKind): WorkloadCache =>
  new Cache(parseTarget(kind), {
    namespace: ({ namespace }: Target) => [namespace],
    label: (workload: Target) =>
      Object.entries(workload.labels).map((label) => labelKey(workload.namespace, label)),
    uid: (workload: Target) => [ownerKey(workload.namespace, workload.kind, workload.uid)],
  });
