// Is the group as it should be? All members have its size and are ready, and status says just that.
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { NAMESPACE } from '../cluster/manifests.ts';
import { type ExpectedMember, expectedMembers, replicasIn, sizeOfSpec } from './expected.ts';
import { groupRef } from './manifests.ts';

/** Empty when all is well. No transition can have taken longer than `elapsedMs`. */
export function groupProblems(server: ApiServer, elapsedMs: number): readonly string[] {
  const group = server.find(kinds.SwarmGroup, groupRef);
  if (group === undefined) return ['there is no group'];
  const { spec, status } = group;
  const size = sizeOfSpec(spec);
  const members = expectedMembers(server, spec);
  const held = heldBack(server);
  const free = members.filter(({ kind, name }) => !held.has(`${kind}/${name}`));
  const expected: readonly (readonly [what: string, found: unknown, wanted: unknown])[] = [
    ['status.observedGeneration', dig(status, 'observedGeneration'), group.metadata.generation],
    ['status.replicas', dig(status, 'replicas'), size],
    ['status.desiredMembers', dig(status, 'desiredMembers'), members.length],
    ['status.readyMembers', dig(status, 'readyMembers'), free.length],
    ['Ready', conditionIn(group, 'Ready'), held.size === 0 ? 'True' : 'False'],
    ['Reconciling', conditionIn(group, 'Reconciling'), 'False'],
    ['Stalled', conditionIn(group, 'Stalled'), held.size === 0 ? 'False' : 'True'],
    ['Conflicted', conditionIn(group, 'Conflicted'), held.size === 0 ? 'False' : 'True'],
  ];
  return [
    ...expected.flatMap(([what, found, wanted]) =>
      found === wanted ? [] : [`${what} is ${String(found)}, not ${String(wanted)}`],
    ),
    ...free.flatMap((member) => memberProblems(status, member, size)),
    ...transitionProblems(status, elapsedMs),
  ];
}

/** Members that an autoscaler scales: the group must leave them alone, and say so. */
const heldBack = (server: ApiServer): ReadonlySet<string> =>
  new Set(
    server
      .all({ kind: kinds.HorizontalPodAutoscaler, namespace: NAMESPACE })
      .flatMap(({ spec }) => {
        const [kind, name] = [
          dig(spec, 'scaleTargetRef', 'kind'),
          dig(spec, 'scaleTargetRef', 'name'),
        ];
        return kind === 'SwarmGroup' ? [] : [`${asString(kind)}/${asString(name)}`];
      }),
  );

function memberProblems(
  status: unknown,
  { kind, name, at, object }: ExpectedMember,
  size: number,
): readonly string[] {
  if (object === undefined) return [`${kind}/${name} is not there`];
  const wanted = at(size);
  const [replicas, present] = [
    replicasIn(object),
    asNumber(dig(object, 'status', 'replicas')) ?? 0,
  ];
  const ready = asNumber(dig(object, 'status', 'readyReplicas')) ?? 0;
  const told = asList(dig(status, 'members')).find(
    (it) => dig(it, 'kind') === kind && dig(it, 'name') === name,
  );
  const found: readonly (readonly [what: string, found: unknown])[] = [
    ['replicas', replicas],
    ['pods', present],
    ['ready pods', ready],
    ['desired replicas in status', dig(told, 'desired')],
    ['replicas in status', dig(told, 'replicas')],
    ['ready replicas in status', dig(told, 'ready')],
  ];
  return [
    ...found.flatMap(([what, it]) =>
      it === wanted ? [] : [`${kind}/${name} has ${String(it)} ${what}, not ${wanted}`],
    ),
    ...(dig(told, 'state') === 'Ready' ? [] : [`${kind}/${name} is ${String(dig(told, 'state'))}`]),
  ];
}

function transitionProblems(status: unknown, elapsedMs: number): readonly string[] {
  const state = asString(dig(status, 'transition', 'state'));
  const isOpen = state === 'Scaling' || state === 'RollingBack';
  const history = asList(dig(status, 'history'));
  const untrue = [dig(status, 'transition', 'times'), ...history].filter((times) => {
    const [total, patch] = ['totalMilliseconds', 'patchMilliseconds'].map((field) =>
      asNumber(dig(times, field)),
    );
    const isKnown = total !== undefined && patch !== undefined;
    return (total ?? patch ?? 0) > elapsedMs || (isKnown && patch > total);
  });
  return [
    ...(isOpen ? [`the transition is ${state}`] : []),
    ...(history.length > 20 ? [`history has ${history.length} lines`] : []),
    ...untrue.map((it) => `times are not plausible: ${JSON.stringify(it)}`),
  ];
}

const conditionIn = ({ status }: KubeObject, type: string): string | undefined =>
  asString(
    dig(
      asList(dig(status, 'conditions')).find((it) => dig(it, 'type') === type),
      'status',
    ),
  );
