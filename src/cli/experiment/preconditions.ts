// Why can no experiment be made with a group? The first refusal counts.
import { kinds } from '../../api/kinds.ts';
import { asString, dig, type KubeObject } from '../../api/objects.ts';
import { parseSwarmGroup, type SwarmGroup } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import { replicasAt } from '../../group/members/rules.ts';
import { boundedNow } from '../group/bounded.ts';
import { type MemberAnnotations, rulesIn } from '../group/members.ts';
import { isCurrent, isPaused, readyOf } from '../views/state.ts';
import { walkOf } from './walk.ts';

type Candidate = {
  readonly object: KubeObject;
  readonly sizes: readonly number[];
  /** Of its namespace. */
  readonly autoscalers: readonly KubeObject[];
  readonly annotations: MemberAnnotations;
  readonly now: number;
};

export const whyNotTried = (candidate: Candidate): string | undefined => {
  const group = parseSwarmGroup(candidate.object);
  return checks.map((check) => check(group, candidate)).find((why) => why !== undefined);
};

type Check = (group: SwarmGroup, candidate: Candidate) => string | undefined;

const isDeleted: Check = ({ meta }) => (meta.isDeleting ? 'it is being deleted' : undefined);

/** Read as it stands: this program may not know the policy yet. */
const isDecidedElsewhere: Check = (_, { object }) => {
  const type = asString(dig(object['spec'], 'policy', 'type')) ?? 'Manual';
  return type === 'Manual'
    ? undefined
    : `its policy.type is ${type}, which sets its size; an experiment needs policy.type Manual`;
};

const isInvalid: Check = ({ spec }) =>
  spec.ok
    ? undefined
    : `its spec is invalid: ${spec.problems.map(({ field, message }) => `${field}: ${message}`).join('; ')}`;

const isHeldStill: Check = (group) =>
  isPaused(group)
    ? 'it is paused; resume it first (spec.paused or the annotation k8slab.info/paused)'
    : undefined;

const isAutoscaled: Check = ({ meta }, { autoscalers }) => {
  const its = autoscalers.find((it) => {
    const ref = dig(it['spec'], 'scaleTargetRef');
    const [group] = (asString(dig(ref, 'apiVersion')) ?? '').split('/');
    return (
      dig(ref, 'kind') === kinds.SwarmGroup.kind &&
      dig(ref, 'name') === meta.name &&
      group === kinds.SwarmGroup.group
    );
  });
  return (
    its &&
    `HorizontalPodAutoscaler ${its.metadata.name} scales it; delete the autoscaler first, or change its scaleTargetRef`
  );
};

const isBounded: Check = ({ spec }, { sizes, now }) => {
  if (!spec.ok) return undefined;
  return sizes
    .map((replicas) => boundedNow(spec.value, replicas, now).limit?.message)
    .find((message) => message !== undefined);
};

/** It would be measured how long other things take. */
const isRestless: Check = (group) => {
  const ready = readyOf(group);
  if (ready === undefined) return 'no operator has reconciled it yet';
  if (!isCurrent(group)) return 'the operator has not reconciled its last change yet';
  return isTrue(group.status?.conditions, 'Ready')
    ? undefined
    : `it is not Ready (${ready.reason}: ${ready.message})`;
};

const isSizeless: Check = ({ spec }) =>
  spec.ok && spec.value.replicas === undefined ? 'its spec.replicas is not set' : undefined;

const isIdle: Check = ({ spec, status }, { sizes, annotations }) => {
  if (!spec.ok) return undefined;
  const rulesFor = rulesIn(spec.value, annotations);
  const idle = walkOf(sizes).find(({ from, to }) =>
    (status?.members ?? []).every((member) => {
      const rules = rulesFor(member);
      return replicasAt(from, rules) === replicasAt(to, rules);
    }),
  );
  return (
    idle &&
    `size ${idle.from} and size ${idle.to} give each member the same replicas, so there is nothing to measure`
  );
};

const checks: readonly Check[] = [
  isDeleted,
  isDecidedElsewhere,
  isInvalid,
  isHeldStill,
  isAutoscaled,
  isBounded,
  isRestless,
  isSizeless,
  isIdle,
];
