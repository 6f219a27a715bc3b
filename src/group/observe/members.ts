// Which members does a group have, and which facts about them come from watches?
import { builtInKindOf } from '../../api/member-kinds.ts';
import type { Target } from '../../api/observed.ts';
import type { SwarmGroup } from '../../api/validate.ts';
import type { KnownWorkloads } from '../../runtime/store/workloads.ts';
import type { MemberRef } from '../world.ts';
import { type GroupCaches, selects } from './caches.ts';
import { asPool, asWorkload, type Timeless } from './scalable.ts';

type WatchedSources = {
  readonly workloads: KnownWorkloads;
  readonly caches: { readonly pools: Pick<GroupCaches['pools'], 'get'> };
};

export const memberCount = (workloads: KnownWorkloads, group: SwarmGroup): number =>
  memberRefs(workloads, group).length;

/** In the order of the spec, or by kind and name if a selector finds them. */
export function memberRefs(
  workloads: KnownWorkloads,
  { meta, spec }: SwarmGroup,
): readonly MemberRef[] {
  if (!spec.ok) return [];
  const { members, selector } = spec.value;
  const [label] = Object.entries(selector?.matchLabels ?? {});
  if (members !== undefined || label === undefined)
    return (members ?? []).map(({ apiVersion, kind, name }) => ({
      ...(apiVersion !== undefined && { apiVersion }),
      ...{ kind, name },
    }));
  return (['Deployment', 'StatefulSet'] as const).flatMap((kind) =>
    workloads
      .labelled(kind, meta.namespace, label)
      .filter((target) => selects({ meta, spec } as SwarmGroup, target))
      .map(({ name }) => ({ kind, name }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
}

/** Empty for a kind that is not watched. */
export function watched(
  { workloads, caches }: WatchedSources,
  namespace: string,
  { name, ...kind }: MemberRef,
): { readonly target?: Target | undefined; readonly found?: Timeless | undefined } {
  const builtIn = builtInKindOf(kind);
  if (builtIn === undefined) return {};
  const ref = { namespace, name };
  if (builtIn === 'SwarmPool') {
    const pool = caches.pools.get(ref);
    return { found: pool && asPool(pool) };
  }
  const target = workloads.get(builtIn, ref);
  return { target, found: target && asWorkload(target) };
}
