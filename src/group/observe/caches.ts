// Which groups exist, and which of them name or select an object? Indexed, so that a change wakes
// only the groups that it affects.
import type { NamedKind } from '../../api/kinds.ts';
import { kindOfMember } from '../../api/member-kinds.ts';
import type { Ref } from '../../api/objects.ts';
import type { Target } from '../../api/observed.ts';
import { byAge } from '../../api/own-object.ts';
import { isMeant, searchKeysOf, soughtUnder } from '../../api/pool-targets.ts';
import { parseSwarmGroup, type SwarmGroup } from '../../api/validate.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import type { MemberRef } from '../world.ts';
import { type PoolMember, parsePoolMember } from './scalable.ts';

/** The same for all versions of the object's kind. */
export const objectKey = (
  namespace: string,
  { group, kind }: Pick<NamedKind, 'group' | 'kind'>,
  name: string,
): string => `${namespace}/${kind}.${group}/${name}`;

export const memberKey = (namespace: string, { apiVersion, kind, name }: MemberRef): string =>
  objectKey(namespace, kindOfMember({ apiVersion, kind }), name);

export class GroupCaches {
  readonly groups = new Cache(parseSwarmGroup, {
    member: ({ meta, spec }: SwarmGroup) =>
      spec.ok ? (spec.value.members ?? []).map((it) => memberKey(meta.namespace, it)) : [],
    selecting: ({ meta, spec }: SwarmGroup) =>
      spec.ok && spec.value.selector !== undefined ? [meta.namespace] : [],
  });
  readonly pools = new Cache(parsePoolMember, {
    sought: (pool: PoolMember) => soughtUnder(pool),
  });

  /** The groups that name or select the object. */
  groupsOf(
    namespace: string,
    member: MemberRef,
    target: Target | undefined,
  ): readonly SwarmGroup[] {
    const named = this.groups.by('member', memberKey(namespace, member));
    if (target === undefined) return named;
    const selecting = this.groups
      .by('selecting', namespace)
      .filter((group) => selects(group, target));
    return [...named, ...selecting];
  }

  /** Groups that may share a member with this group. */
  neighboursOf({ meta: { namespace }, spec }: SwarmGroup): readonly SwarmGroup[] {
    if (!spec.ok) return [];
    const named = (spec.value.members ?? []).flatMap((member) =>
      this.groups.by('member', memberKey(namespace, member)),
    );
    const others = spec.value.selector === undefined ? [] : this.inNamespace(namespace);
    return [...named, ...this.groups.by('selecting', namespace), ...others];
  }

  selectingIn(namespace: string): readonly SwarmGroup[] {
    return this.groups.by('selecting', namespace);
  }

  inNamespace(namespace: string): readonly SwarmGroup[] {
    return [...this.groups.keys()].flatMap((key) => {
      const group = key.startsWith(`${namespace}/`) ? this.groups.get(nameIn(key)) : undefined;
      return group ?? [];
    });
  }

  /** The pool that scales this workload: the oldest of several that target it. */
  leaderOf(target: Target): PoolMember | undefined {
    const [oldest] = searchKeysOf(target)
      .flatMap((key) => this.pools.by('sought', key))
      .filter((pool) => !pool.isDeleting && isMeant(pool, target))
      .sort(byAge);
    return oldest?.scaling === 'Follow' ? undefined : oldest;
  }
}

const nameIn = (key: string): Ref => {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
};

export function selects({ spec }: SwarmGroup, { labels }: Target): boolean {
  if (!spec.ok || spec.value.selector === undefined) return false;
  return Object.entries(spec.value.selector.matchLabels).every(
    ([label, value]) => labels[label] === value,
  );
}
