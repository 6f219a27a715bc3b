// Who else scales a member? An autoscaler, a pool that leads it, or an older group that is not
// blocked itself.
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, asRecord, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';

export type Named = Readonly<Record<string, unknown>>;

const MOST_MEMBERS = 100;

/** The members that a group names or selects. */
export function namedIn(server: ApiServer, { spec }: KubeObject): readonly Named[] {
  const named = dig(spec, 'members');
  if (named !== undefined) return asList(named).map((it) => asRecord(it) ?? {});
  const labels = Object.entries(asRecord(dig(spec, 'selector', 'matchLabels')) ?? {});
  return [kinds.Deployment, kinds.StatefulSet].flatMap((kind) =>
    server
      .all({ kind, namespace: NAMESPACE })
      .filter(({ metadata }) => labels.every(([key, value]) => metadata.labels?.[key] === value))
      .map((object) => ({ kind: object.kind, name: object.metadata.name }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
}

const ageOf = ({ metadata }: KubeObject): string =>
  `${String(metadata.creationTimestamp)} ${metadata.name}`;

const isThere = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;

/** Its name. */
export function holderOf(
  server: ApiServer,
  group: KubeObject,
  member: KubeObject,
): string | undefined {
  const { name } = member.metadata;
  const isMeant = (it: unknown): boolean =>
    dig(it, 'kind') === member.kind && dig(it, 'name') === name;
  const autoscaler = server
    .all({ kind: kinds.HorizontalPodAutoscaler, namespace: NAMESPACE })
    .find(({ spec }) => isMeant(dig(spec, 'scaleTargetRef')));
  if (autoscaler !== undefined) return autoscaler.metadata.name;
  const [leader] = server
    .all({ kind: kinds.SwarmPool, namespace: NAMESPACE })
    .filter((pool) => isThere(pool) && isMeant(targetIn(pool)))
    .sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
  if (leader !== undefined && dig(leader, 'spec', 'workers', 'scaling') !== 'Follow')
    return leader.metadata.name;
  return server
    .all({ kind: kinds.SwarmGroup, namespace: NAMESPACE })
    .filter((it) => isThere(it) && it.metadata.uid !== group.metadata.uid)
    .filter((it) => ageOf(it) < ageOf(group))
    .map((it) => ({ name: it.metadata.name, members: namedIn(server, it) }))
    .find(({ members }) => members.length <= MOST_MEMBERS && members.some(isMeant))?.name;
}

/** In these stories a pool that leads a member names it. */
function targetIn(pool: KubeObject): unknown {
  const target = asRecord(dig(pool, 'spec', 'workers', 'targetRef'));
  return target && { ...target, kind: asString(target['kind']) ?? 'StatefulSet' };
}
