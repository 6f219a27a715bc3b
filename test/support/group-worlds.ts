// Worlds of groups for tests: plain values, and what becomes of them when decisions are carried out
// and members get ready.
import { kinds } from '../../src/api/kinds.ts';
import { kindOfMember } from '../../src/api/member-kinds.ts';
import { parseSwarmGroup, type SwarmGroupStatus } from '../../src/api/validate.ts';
import type { Condition } from '../../src/core/conditions.ts';
import type { Step } from '../../src/core/decision.ts';
import { measureAges } from '../../src/core/state-ages.ts';
import { decideGroup, type GroupDecision } from '../../src/group/decide.ts';
import { agesOf } from '../../src/group/observe.ts';
import {
  type GroupWorld,
  memberName,
  nothingRemembered,
  type Scalable,
  type SeenMember,
  type Unread,
} from '../../src/group/world.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');

export type MemberShape = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly replicas?: number;
  readonly ratio?: number | string;
  readonly stage?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly isMissing?: boolean;
  /** Why the operator has not read it. */
  readonly unread?: Unread;
};

type Shape = {
  readonly members?: Readonly<Record<string, MemberShape>>;
  readonly spec?: object;
};

/** Without status; its members are ready with the replicas that they have. */
export function groupWorld({ members = { a: {}, b: {} }, spec = {} }: Shape = {}): GroupWorld {
  const entries = Object.entries(members);
  const group = parseSwarmGroup({
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmGroup',
    metadata: {
      name: 'shop',
      namespace: 'swarm',
      uid: 'group-uid',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      replicas: 1,
      members: entries.map(
        ([name, { kind = 'Deployment', replicas: _, isMissing: __, unread: ___, ...rules }]) => ({
          kind,
          name,
          ...rules,
        }),
      ),
      ...spec,
    },
  });
  return {
    kind: 'SwarmGroup',
    group,
    members: entries.map(
      ([name, { apiVersion, kind = 'Deployment', replicas = 1, isMissing, unread }]) => ({
        ...(apiVersion !== undefined && { apiVersion }),
        ...{ kind, name },
        found: isMissing || unread ? undefined : scalable(kind, name, replicas, apiVersion),
        ...(unread !== undefined && { unread }),
        conflict: undefined,
      }),
    ),
    ages: { sizeMs: 0, drawnMs: 0, statusMs: 0, failedMs: new Map() },
    metric: { state: 'pending' },
    remembered: nothingRemembered,
    monotonicMs: 0,
    refused: undefined,
  };
}

export const scalable = (
  kind: string,
  name: string,
  replicas: number,
  apiVersion?: string,
): Scalable => ({
  kind,
  servedAt: {
    ...{ plural: `${kind.toLowerCase()}s`, namespaced: true },
    ...kindOfMember({ apiVersion, kind }),
  },
  name,
  namespace: 'swarm',
  uid: `${name}-uid`,
  resourceVersion: '1',
  replicas,
  size: { generation: 1, observedGeneration: 1, present: replicas, ready: replicas },
  isConverged: true,
  isDeleting: false,
  times: { replicasMs: 0, changedMs: 0 },
  revision: '1',
  selector: `app=${name}`,
});

/** As the leader sees it at this time of its clock. */
export function seenAt(at: GroupWorld, monotonicMs: number): GroupWorld {
  const { ages, states } = measureAges(at.remembered.ages, monotonicMs, (age) =>
    agesOf(at.group, age),
  );
  return { ...at, monotonicMs, ages, remembered: { ...at.remembered, ages: states } };
}

export const decide = (at: GroupWorld): GroupDecision => decideGroup(at, NOW + at.monotonicMs);

/** The world after its decision: scaled members are not ready. */
export function carriedOut(at: GroupWorld, decision = decide(at)): GroupWorld {
  return decision.steps.reduce(afterStep, { ...at, remembered: decision.remembered });
}

const newer = (version: string): string => String(Number(version) + 1);

function afterStep(at: GroupWorld, step: Step): GroupWorld {
  const { group } = at;
  const meta = { ...group.meta, resourceVersion: newer(group.meta.resourceVersion) };
  if (step.do === 'status') {
    if (step.ref.resourceVersion !== group.meta.resourceVersion)
      throw new Error('status written on an old view');
    const status = JSON.parse(JSON.stringify(step.status)) as SwarmGroupStatus;
    return { ...at, group: { ...group, meta, status } };
  }
  if (step.do !== 'scale') return at;
  if (step.kind.kind === kinds.SwarmGroup.kind) return withSpec(at, { replicas: step.replicas });
  return withMember(at, step.ref.name, ({ size, resourceVersion }) => {
    if (resourceVersion !== step.ref.resourceVersion) throw new Error('scaled on an old view');
    return { replicas: step.replicas, size: { ...size, generation: size.generation + 1 } };
  });
}

export const withMember = (
  at: GroupWorld,
  name: string,
  change: (found: Scalable) => Partial<Scalable>,
): GroupWorld =>
  withSeen(at, name, ({ found }) => ({ found: found && changed(found, change, at.monotonicMs) }));

/** The change arrives at once. */
function changed(
  before: Scalable,
  change: (found: Scalable) => Partial<Scalable>,
  nowMs: number,
): Scalable {
  const after = { ...before, ...change(before), resourceVersion: newer(before.resourceVersion) };
  const isSame = after.uid === before.uid && after.replicas === before.replicas;
  const times = { replicasMs: isSame ? before.times.replicasMs : nowMs, changedMs: nowMs };
  return { ...after, times };
}

export const withSeen = (
  at: GroupWorld,
  name: string,
  change: (seen: SeenMember) => Partial<SeenMember>,
): GroupWorld => ({
  ...at,
  members: at.members.map((seen) => (seen.name === name ? { ...seen, ...change(seen) } : seen)),
});

export const later = (at: GroupWorld, ms: number): GroupWorld => seenAt(at, at.monotonicMs + ms);

/** Decides and carries out; no member gets ready. */
export const next = (at: GroupWorld, ms = 100): GroupWorld => carriedOut(later(at, ms));

/** A user scales it. */
export const scaledByHand = (at: GroupWorld, name: string, replicas: number): GroupWorld =>
  ready(
    withMember(at, name, ({ size }) => ({
      replicas,
      size: { ...size, generation: size.generation + 1 },
    })),
    name,
  );

export function withSpec(at: GroupWorld, change: object): GroupWorld {
  const { group } = at;
  if (!group.spec.ok) throw new Error('the spec is invalid');
  const { status } = group;
  const { name, namespace, uid, creationTimestamp, generation, resourceVersion } = group.meta;
  const metadata = {
    ...{ name, namespace, uid, creationTimestamp },
    resourceVersion: newer(resourceVersion),
    generation: generation + 1,
  };
  const spec = { ...group.spec.value, ...change };
  const parsed = parseSwarmGroup({ apiVersion: '', kind: 'SwarmGroup', metadata, spec });
  return { ...at, group: { ...parsed, status } };
}

/** These members, or all, are ready with what their spec asks for. */
export function ready(at: GroupWorld, ...names: readonly string[]): GroupWorld {
  const isMeant = ({ name }: SeenMember): boolean => names.length === 0 || names.includes(name);
  return at.members.filter(isMeant).reduce(
    (world, { name }) =>
      withMember(world, name, ({ replicas, size: { generation } }) => ({
        size: { generation, observedGeneration: generation, present: replicas, ready: replicas },
      })),
    at,
  );
}

/** Decides, carries out and lets members get ready until nothing changes any more. */
export function settled(start: GroupWorld): GroupWorld {
  let at = ready(start);
  for (let round = 0; round < 50; round += 1) {
    const now = seenAt(at, at.monotonicMs + 3_000);
    const decision = decide(now);
    at = ready(carriedOut(now, decision));
    if (decision.steps.length === 0) return at;
  }
  throw new Error('it does not settle');
}

/** By name. */
export const sizesOf = ({ members }: GroupWorld): Readonly<Record<string, number | undefined>> =>
  Object.fromEntries(members.map(({ name, found }) => [name, found?.replicas]));

/** What a decision scales, by name. */
export const scalesOf = (at: GroupWorld): Readonly<Record<string, number>> =>
  Object.fromEntries(
    decide(at).steps.flatMap((step) =>
      step.do === 'scale' ? [[step.ref.name, step.replicas]] : [],
    ),
  );

export const stateOf = (at: GroupWorld, name: string): string | undefined =>
  at.group.status?.members?.find((member) => member.name === name)?.state;

export const conditionOf = ({ group }: GroupWorld, type: string): Condition | undefined =>
  group.status?.conditions?.find((condition) => condition.type === type);

export const namesOf = ({ members }: GroupWorld): readonly string[] => members.map(memberName);
