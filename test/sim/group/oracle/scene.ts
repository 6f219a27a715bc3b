// What can a user see of a group and its members at this moment? The objects of the API server, and
// what follows from them.
import { kinds } from '../../../../src/api/kinds.ts';
import {
  asList,
  asNumber,
  asRecord,
  asString,
  conditionsOf,
  dig,
  type KubeObject,
} from '../../../../src/api/objects.ts';
import { ANNOTATION_PAUSED } from '../../../../src/core/labels.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { groupRef, kindNamed } from '../manifests.ts';
import { type Annotated, annotatedRules } from './annotated.ts';
import { type Bounds, timesUp, within } from './exact.ts';
import { holderOf, namedIn } from './holders.ts';
import { wantedBy, wrongSchedules } from './wanted.ts';

export type SceneMember = {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly stage: number;
  readonly ratio: unknown;
  readonly bounds: Bounds;
  readonly at: (size: number) => number;
  /** How many of so many have to be Ready. */
  readonly needed: (replicas: number) => number;
  readonly object: KubeObject | undefined;
  readonly uid: string;
  readonly replicas: number;
  readonly present: number;
  readonly ready: number;
  /** Its controller has seen its spec. */
  readonly isObserved: boolean;
  /** By its rollout, which is under way. */
  readonly surge: number;
  /** The name of what else scales it. */
  readonly holder: string | undefined;
  /** Why it cannot be scaled although no other writer does. */
  readonly refusal: string | undefined;
  /** What its annotations say, where a selector finds it: as text. */
  readonly annotated: string;
  /** Of these, the names of those that are wrong. */
  readonly wrongAnnotations: readonly string[];
  /** Another writer scales it again and again, and the group says that it leaves it alone. */
  readonly isContested: boolean;
  readonly isFree: boolean;
};

export type Scene = {
  readonly group: KubeObject;
  readonly status: unknown;
  /** Its type. */
  readonly policy: string;
  readonly isPaused: boolean;
  /** Within the bounds of the policy; undefined: spec.replicas is left out, or none is drawn. */
  readonly size: number | undefined;
  readonly members: readonly SceneMember[];
  readonly free: readonly SceneMember[];
  readonly isStaged: boolean;
  readonly stages: number;
  readonly rollsBack: boolean;
  readonly timeoutMs: number;
  readonly retryMs: number;
  /** Of the size. */
  readonly bounds: Bounds;
  /** Of a size that a user or an autoscaler asks for. */
  readonly bounded: (size: number) => number;
};

const MOST_MEMBERS = 100;

/**
 * Undefined: there is no group, or it is blocked as a whole. `wallMs`: what a clock on the wall of
 * the operator's machine says.
 */
export function sceneOf(
  server: ApiServer,
  wallMs: number,
  mayBeContested: (uid: string) => boolean = () => false,
): Scene | undefined {
  const group = server.find(kinds.SwarmGroup, groupRef);
  if (group === undefined || group.metadata.deletionTimestamp !== undefined) return undefined;
  const { spec, status } = group;
  const named = namedIn(server, group);
  if (named.length > MOST_MEMBERS || wrongSchedules(group).length > 0) return undefined;
  const defaults = asRecord(dig(spec, 'memberDefaults')) ?? {};
  const members = named.map((own) => memberIn(server, group, { defaults, own }, mayBeContested));
  const isStaged = dig(spec, 'transition', 'order') === 'Staged';
  const seconds = (field: string): number =>
    (asNumber(dig(spec, 'transition', field)) ?? 300) * 1_000;
  const free = members.filter(({ isFree }) => isFree);
  return {
    ...{ group, status, members, free, isStaged },
    ...sizeIn(group, wallMs),
    isPaused:
      dig(spec, 'paused') === true || group.metadata.annotations?.[ANNOTATION_PAUSED] === 'true',
    stages: isStaged ? new Set(free.map(({ stage }) => stage)).size : 1,
    rollsBack: dig(spec, 'transition', 'onTimeout') === 'Rollback',
    timeoutMs: seconds('timeoutSeconds'),
    retryMs: seconds('retryAfterSeconds'),
  };
}

function sizeIn(
  group: KubeObject,
  wallMs: number,
): Pick<Scene, 'policy' | 'size' | 'bounds' | 'bounded'> {
  const { policy, size, bounds } = wantedBy(group, wallMs);
  return { policy, size, bounds, bounded: (other) => within(bounds, other) };
}

/** The same at another time: a schedule may have become due. */
export const sceneAt = (scene: Scene, wallMs: number): Scene => ({
  ...scene,
  ...sizeIn(scene.group, wallMs),
});

type Rules = Readonly<Record<string, unknown>>;

const noAnnotations: Annotated = { rules: {}, wrong: [] };

type GivenRules = { readonly defaults: Rules; readonly own: Rules };

function memberIn(
  server: ApiServer,
  group: KubeObject,
  { defaults, own }: GivenRules,
  mayBeContested: (uid: string) => boolean,
): SceneMember {
  const [kind, name] = [asString(own['kind']) ?? '', asString(own['name']) ?? ''];
  const found = server.find(kindNamed(kind), { namespace: NAMESPACE, name });
  const object = found?.metadata.deletionTimestamp === undefined ? found : undefined;
  const isSelected = dig(group['spec'], 'selector') !== undefined;
  const annotated = (isSelected && object && annotatedRules(object, defaults)) || noAnnotations;
  const rules: Rules = { ...defaults, ...annotated.rules, ...own };
  const { ratio = 1 } = rules;
  const bounds: Bounds = {
    least: asNumber(rules['minReplicas']) ?? 0,
    most: asNumber(rules['maxReplicas']) ?? Number.POSITIVE_INFINITY,
  };
  const holder = object && holderOf(server, group, object);
  const isWrong = annotated.wrong.length > 0;
  const refusal = object && (isWrong ? 'annotations' : refusalOf(object));
  const { uid = '' } = object?.metadata ?? {};
  // How often the operator saw it depends on when it looked.
  const told = toldOf({ status: group['status'] }, { kind, name });
  const isContested = mayBeContested(uid) && dig(told, 'state') === 'Conflicted';
  const isOurs = object !== undefined && holder === undefined && refusal === undefined;
  return {
    ...{
      key: `${kind}/${name}`,
      kind,
      name,
      ratio,
      bounds,
      object,
      holder,
      refusal,
      uid,
      isContested,
    },
    annotated: isWrong ? 'wrong' : JSON.stringify(annotated.rules),
    wrongAnnotations: annotated.wrong,
    stage: asNumber(rules['stage']) ?? 0,
    at: (size) => within(bounds, timesUp(ratio, size)),
    needed: (replicas) => timesUp(rules['readyFraction'] ?? 1, replicas),
    ...sizesOf(object),
    isFree: isOurs && !isContested,
  };
}

function refusalOf({ kind, spec, metadata }: KubeObject): string | undefined {
  if (kind !== 'SwarmPool') return undefined;
  if (dig(spec, 'workers', 'scaling') !== 'Lead') return 'scaling';
  if (dig(spec, 'paused') === true || metadata.annotations?.[ANNOTATION_PAUSED] === 'true')
    return 'paused';
  return dig(spec, 'workers', 'replicas') === undefined ? 'taken over' : undefined;
}

type Sizes = Pick<SceneMember, 'replicas' | 'present' | 'ready' | 'isObserved' | 'surge'>;

export const replicasIn = ({ kind, spec }: KubeObject): number =>
  asNumber(kind === 'SwarmPool' ? dig(spec, 'workers', 'replicas') : dig(spec, 'replicas')) ?? 0;

function sizesOf(object: KubeObject | undefined): Sizes {
  if (object === undefined)
    return { replicas: 0, present: 0, ready: 0, isObserved: false, surge: 0 };
  const { status, metadata } = object;
  const number = (field: string): number => asNumber(dig(status, field)) ?? 0;
  const [replicas, present] = [replicasIn(object), number('replicas')];
  const isObserved = number('observedGeneration') >= (metadata.generation ?? 1);
  if (object.kind === 'SwarmPool') {
    const [converged] = conditionsOf(object, 'Converged');
    const isConverged = dig(converged, 'status') === 'True';
    const ready = isConverged ? present : number('convergedReplicas');
    return { replicas, present, ready, isObserved: isObserved && isConverged, surge: 0 };
  }
  const isRolling = object.kind === 'Deployment' && number('updatedReplicas') < present;
  const surge = isRolling ? Math.ceil(replicas / 4) : 0;
  return { replicas, present, ready: number('readyReplicas'), isObserved, surge };
}

/** What status says of a member. */
export const toldOf = (
  { status }: Pick<Scene, 'status'>,
  { kind, name }: Pick<SceneMember, 'kind' | 'name'>,
): unknown =>
  asList(dig(status, 'members')).find((it) => dig(it, 'kind') === kind && dig(it, 'name') === name);

export function conditionIn(
  status: unknown,
  type: string,
): { readonly status: string; readonly reason: string; readonly message: string } {
  const found = asList(dig(status, 'conditions')).find((it) => dig(it, 'type') === type);
  const text = (field: string): string => asString(dig(found, field)) ?? '';
  return { status: text('status'), reason: text('reason'), message: text('message') };
}

export const stateIn = (status: unknown): string =>
  asString(dig(status, 'transition', 'state')) ?? '';
