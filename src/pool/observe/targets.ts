// Which objects are a pool's targets, and which pods are theirs? A pod belongs to its controller,
// by namespace, kind and UID, not by labels.
import { type Kind, kinds } from '../../api/kinds.ts';
import { keyOf, type Ref } from '../../api/objects.ts';
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
import type { SwarmPool } from '../../api/validate.ts';
import type { Slim } from '../../runtime/client/api.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import type { Subscription } from '../../runtime/watch/subscriptions.ts';
import type { Change } from '../../runtime/watch/watcher.ts';

/** What it says, or the first of the two: what else its selector finds is asked about. */
const kindOf = ({ workers }: PoolSpec): TargetKind =>
  workers.kind ?? workers.targetRef?.kind ?? 'StatefulSet';

const POOL = kinds.SwarmPool.kind;

type PoolSpec = Extract<SwarmPool['spec'], { readonly ok: true }>['value'];

export class Targets {
  readonly #targets: Readonly<Record<TargetKind, Cache<Target, 'label' | 'uid'>>> = {
    StatefulSet: targetCache('StatefulSet'),
    Deployment: targetCache('Deployment'),
  };
  readonly #replicaSets = new Cache(parseReplicaSet, {
    uid: (set: ReplicaSet) => [ownerKey(set.namespace, 'ReplicaSet', set.uid)],
    owner: (set: ReplicaSet) =>
      set.ownerUid === undefined ? [] : [ownerKey(set.namespace, 'Deployment', set.ownerUid)],
  });
  readonly #pods = new Cache(parsePod, {
    owner: (pod: Pod) => ownersIn(pod),
    toldAt: placesToldAt,
  });
  readonly #autoscalers = new Cache(parseAutoscaler, {
    target: (it: Autoscaler) => [`${it.namespace}/${it.targetKind}/${it.targetName}`],
  });

  /**
   * `onChange`: something about these targets, or about their pods, is not as it was. `onPod`:
   * about this pod, whosever it is. `onPool`: an autoscaler of this pool came or went.
   */
  subscriptions(
    onChange: (targets: readonly Target[]) => void,
    onPod: (pod: Ref, places: readonly string[]) => void,
    onPool: (pool: Ref) => void,
  ): readonly Subscription[] {
    const on = (
      kind: Kind,
      slim: Slim['slim'],
      changed: (change: Change) => readonly Target[],
    ): Subscription => ({
      kind,
      slim,
      onChange: (change) => onChange(changed(change)),
    });
    const ofTarget = (kind: TargetKind): Subscription =>
      on(kinds[kind], slimWorkload, (change) => {
        const { before, after } = this.#targets[kind].apply(change);
        return present([before, after]);
      });
    return [
      ofTarget('StatefulSet'),
      ofTarget('Deployment'),
      on({ ...kinds.ReplicaSet, metadataOnly: true }, slimReplicaSet, (change) => {
        const { before, after } = this.#replicaSets.apply(change);
        return this.#deploymentsOf([before, after]);
      }),
      on(kinds.Pod, slimPod, (change) => {
        const { before, after } = this.#pods.apply(change);
        onPod(
          change.object.metadata,
          [before, after].flatMap((pod) => (pod === undefined ? [] : placesToldAt(pod))),
        );
        return [before, after].flatMap((pod) => this.ownersOf(pod));
      }),
      on(kinds.HorizontalPodAutoscaler, slimAutoscaler, (change) => {
        const { before, after } = this.#autoscalers.apply(change);
        const scaled = [before, after].filter((it) => it !== undefined);
        for (const { namespace, targetKind, targetName: name } of scaled)
          if (targetKind === POOL) onPool({ namespace, name });
        return present(
          scaled.flatMap(({ namespace, targetName: name }) =>
            Object.values(this.#targets).map((cache) => cache.get({ namespace, name })),
          ),
        );
      }),
    ];
  }

  /** By name. */
  meantBy(pool: SwarmPool): readonly Target[] {
    return pool.spec.ok ? this.#found(pool, kindOf(pool.spec.value)) : [];
  }

  /** What its selector finds of the other kind, when it does not say which it means. */
  lookalikesOf(pool: SwarmPool): readonly Target[] {
    if (!pool.spec.ok) return [];
    const { kind, targetRef } = pool.spec.value.workers;
    return kind === undefined && targetRef === undefined ? this.#found(pool, 'Deployment') : [];
  }

  pod(ref: Ref): Pod | undefined {
    return this.#pods.get(ref);
  }

  /** Pods that mount this ConfigMap, and were told of a version. */
  toldAt(configMap: Ref): readonly Pod[] {
    return this.#pods.by('toldAt', keyOf(configMap));
  }

  /** The StatefulSet or the Deployment that a pod belongs to; none, or one that is gone. */
  ownersOf(pod: Pod | undefined): readonly Target[] {
    if (pod === undefined) return [];
    const [owner] = ownersIn(pod);
    if (owner === undefined) return [];
    return [
      ...this.#targets.StatefulSet.by('uid', owner),
      ...this.#deploymentsOf(this.#replicaSets.by('uid', owner)),
    ];
  }

  podsOf({ kind, namespace, uid }: Target): readonly Pod[] {
    const owner = ownerKey(namespace, kind, uid);
    if (kind === 'StatefulSet') return this.#pods.by('owner', owner);
    return this.#replicaSets
      .by('owner', owner)
      .flatMap((set) => this.#pods.by('owner', ownerKey(set.namespace, 'ReplicaSet', set.uid)));
  }

  /** A HorizontalPodAutoscaler that scales it. */
  autoscalerOf({ namespace, kind, name }: Target): string | undefined {
    return this.#autoscalers.by('target', `${namespace}/${kind}/${name}`)[0]?.name;
  }

  /** A HorizontalPodAutoscaler that scales the pool itself. */
  autoscalerOfPool({ meta: { namespace, name } }: SwarmPool): string | undefined {
    return this.#autoscalers.by('target', `${namespace}/${POOL}/${name}`)[0]?.name;
  }

  #found(pool: SwarmPool, kind: TargetKind): readonly Target[] {
    return this.#candidates(pool, kind)
      .filter((target) => !target.isDeleting && isSelected(pool, target))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** All that it can mean, and not many more: a namespace may hold a thousand of each. */
  #candidates({ meta: { namespace }, spec }: SwarmPool, kind: TargetKind): readonly Target[] {
    if (!spec.ok) return [];
    const { targetRef, selector } = spec.value.workers;
    if (targetRef !== undefined)
      return present([this.#targets[kind].get({ namespace, name: targetRef.name })]);
    const [label] = Object.entries(selector?.matchLabels ?? {});
    return label === undefined ? [] : this.#targets[kind].by('label', labelKey(namespace, label));
  }

  #deploymentsOf(sets: readonly (ReplicaSet | undefined)[]): readonly Target[] {
    const owners = sets.flatMap((set) =>
      set?.ownerUid === undefined ? [] : [ownerKey(set.namespace, 'Deployment', set.ownerUid)],
    );
    return [...new Set(owners)].flatMap((owner) => this.#targets.Deployment.by('uid', owner));
  }
}

/** Does the selector or targetRef of the pool find it, whatever its kind? */
export function isSelected({ meta, spec }: SwarmPool, target: Target): boolean {
  if (!spec.ok || meta.namespace !== target.namespace) return false;
  const { selector, targetRef } = spec.value.workers;
  if (targetRef !== undefined) return targetRef.name === target.name;
  const labels = Object.entries(selector?.matchLabels ?? {});
  return labels.length > 0 && labels.every(([key, value]) => target.labels[key] === value);
}

/**
 * An owner and its pods share a namespace: a user of another namespace cannot make pods there
 * workers of this pool.
 */
const ownerKey = (namespace: string, kind: string, uid: string): string =>
  `${namespace}/${kind}/${uid}`;

const ownersIn = ({ namespace, ownerKind, ownerUid }: Pod): readonly string[] =>
  ownerKind === undefined || ownerUid === undefined
    ? []
    : [ownerKey(namespace, ownerKind, ownerUid)];

const placesToldAt = ({ assigned, namespace, mountedConfigMaps }: Pod): readonly string[] =>
  assigned === undefined ? [] : mountedConfigMaps.map((name) => keyOf({ namespace, name }));

const present = (values: readonly (Target | undefined)[]): readonly Target[] =>
  values.filter((value) => value !== undefined);

const labelKey = (namespace: string, [key, value]: readonly [string, string]): string =>
  `${namespace}/label ${key}=${value}`;

/**
 * Under what a pool is to be looked for, given its target: the name that it refers to, or the first
 * label that it wants.
 */
export function soughtUnder({ meta: { namespace }, spec }: SwarmPool): readonly string[] {
  if (!spec.ok) return [];
  const { targetRef, selector } = spec.value.workers;
  if (targetRef !== undefined) return [`${namespace}/name ${targetRef.name}`];
  const [label] = Object.entries(selector?.matchLabels ?? {});
  return label === undefined ? [] : [labelKey(namespace, label)];
}

/** Where pools stand that may mean it. */
export const placesOf = ({ namespace, name, labels }: Target): readonly string[] => [
  `${namespace}/name ${name}`,
  ...Object.entries(labels).map((label) => labelKey(namespace, label)),
];

const targetCache = (kind: TargetKind): Cache<Target, 'label' | 'uid'> =>
  new Cache(parseTarget(kind), {
    label: (target: Target) =>
      Object.entries(target.labels).map((label) => labelKey(target.namespace, label)),
    uid: (target: Target) => [ownerKey(target.namespace, target.kind, target.uid)],
  });
