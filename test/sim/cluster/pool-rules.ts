// Which SwarmPools does the API server take? What the schema says, by our own validator, and what
// its CEL rules say, said here once more.
import type { SwarmPoolSpec } from '../../../src/api/generated/types.ts';
import {
  validateSwarmPoolSpec,
  validateSwarmPoolStatus,
} from '../../../src/api/generated/validators.cjs';
import { asRecord, dig, type KubeObject } from '../../../src/api/objects.ts';
import { problemsOf } from '../../../src/api/validate.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';

const isDeploymentPool = ({ workers }: SwarmPoolSpec): boolean =>
  workers.kind === 'Deployment' || workers.targetRef?.kind === 'Deployment';

/** Twins of `x-kubernetes-validations` in crds/swarmpool.yaml; true where the rule holds. */
const rules: readonly (readonly [holds: (spec: SwarmPoolSpec) => boolean, message: string])[] = [
  [
    ({ handoff, assignments }) => handoff.type !== 'Exclusive' || assignments.shards === 1,
    'Exclusive works with one ConfigMap only',
  ],
  [
    ({ handoff, probe }) => handoff.type !== 'Exclusive' || probe.type === 'HTTPGet',
    'Exclusive needs workers that confirm',
  ],
  [
    (spec) => spec.handoff.type !== 'Exclusive' || !isDeploymentPool(spec),
    'Exclusive works with StatefulSets only',
  ],
  [
    (spec) => spec.refresh.mode !== 'Restart' || !isDeploymentPool(spec),
    'Restart works with StatefulSets only',
  ],
  [
    (spec) => spec.probe.type !== 'None' || !isDeploymentPool(spec),
    'probe None works with StatefulSets only',
  ],
  [
    ({ handoff, workers }) =>
      handoff.type !== 'Exclusive' || (workers.failover?.policy ?? 'Never') === 'Never',
    'Exclusive never fails over by time',
  ],
  [
    ({ workers }) => (workers.selector !== undefined) !== (workers.targetRef !== undefined),
    'exactly one of selector and targetRef',
  ],
  [
    ({ workers: { kind, targetRef } }) =>
      kind === undefined || targetRef === undefined || kind === targetRef.kind,
    'kind and targetRef.kind differ',
  ],
  [
    ({ workers }) => isCount(workers.failover?.maxUnavailable ?? 1),
    'failover.maxUnavailable is a number of at least 1, or a percentage',
  ],
  [
    ({ refresh }) => isCount(refresh.maxUnavailable),
    'maxUnavailable is a number of at least 1, or a percentage',
  ],
  [({ probe }) => isPort(probe.httpGet.port), 'port is a number from 1 to 65535, or a name'],
  [
    ({ streams = [] }) =>
      streams
        .flatMap(({ parameters = {} }) => Object.keys(parameters))
        .every((name) => /^[-._a-zA-Z0-9]{1,253}$/.test(name)),
    'names of parameters',
  ],
  [
    ({ streams = [] }) => new Set(streams.map(({ name }) => name)).size === streams.length,
    'streams are unique by name',
  ],
  [
    ({ workers: { cordoned = [] } }) => new Set(cordoned).size === cordoned.length,
    'cordoned is a set',
  ],
];

const isCount = (value: unknown): boolean =>
  typeof value === 'number' ? value >= 1 : /^([1-9][0-9]?|100)%$/.test(String(value));
const isPort = (value: unknown): boolean =>
  typeof value === 'number'
    ? value >= 1 && value <= 65_535
    : /^[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/.test(String(value));

/**
 * The twin of a rule that knows what stood there before, by `optionalOldSelf`: what an earlier Lead
 * has left, unchanged, is let be.
 */
const keepsReplicas = ({ workers }: SwarmPoolSpec, before: KubeObject | undefined): boolean =>
  workers.replicas === undefined ||
  workers.scaling === 'Lead' ||
  dig(before, 'spec', 'workers', 'replicas') === workers.replicas;

/** What was admitted before is not looked at again, but for what depends on what was there. */
const admitted = new WeakMap<object, SwarmPoolSpec>();

/** `before`: as it stands there; undefined: it is made anew. */
export function admitPool(pool: KubeObject, before: KubeObject | undefined): KubeObject {
  const given = asRecord(pool['spec']) ?? {};
  const spec = admittedSpec(pool, given);
  if (!keepsReplicas(spec, before)) throw invalid(pool, 'replicas needs scaling Lead');
  return spec === given ? pool : { ...pool, spec };
}

function admittedSpec(pool: KubeObject, given: object): SwarmPoolSpec {
  const known = admitted.get(given);
  if (known !== undefined) return known;
  const spec: unknown = structuredClone(given);
  if (!validateSwarmPoolSpec(spec)) {
    const problems = problemsOf('spec', validateSwarmPoolSpec.errors ?? []);
    throw invalid(pool, problems.map(({ field, message }) => `${field}: ${message}`).join(', '));
  }
  const broken = rules.find(([holds]) => !holds(spec));
  if (broken !== undefined) throw invalid(pool, broken[1]);
  if (pool.metadata.name.length > 63)
    throw invalid(pool, "a pool's name has at most 63 characters");
  admitted.set(given, spec);
  admitted.set(spec, spec);
  return spec;
}

export function checkPoolStatus(status: unknown): void {
  const candidate: unknown = structuredClone(status);
  if (validateSwarmPoolStatus(candidate)) return;
  const problems = problemsOf('status', validateSwarmPoolStatus.errors ?? []);
  throw new KubeError(
    'Invalid',
    problems.map(({ field, message }) => `${field}: ${message}`).join(', '),
    { status: 422 },
  );
}

const invalid = ({ metadata }: KubeObject, message: string): KubeError =>
  new KubeError('Invalid', `SwarmPool.k8slab.info "${metadata.name}" is invalid: ${message}`, {
    status: 422,
  });
