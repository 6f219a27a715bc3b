// What do the annotations of a group's members say, where a selector finds them? The group's status
// does not have them.
import { kinds, metadataOf } from '../../api/kinds.ts';
import { memberAnnotationsOf } from '../../api/member-annotations.ts';
import type { SwarmGroup } from '../../api/validate.ts';
import { type MemberAnnotations, memberNameOf } from '../group/members.ts';
import type { Cluster } from './connect.ts';

export async function readMemberAnnotations(
  { api, namespace }: Pick<Cluster, 'api' | 'namespace'>,
  { spec }: SwarmGroup,
): Promise<MemberAnnotations> {
  if (!spec.ok || spec.value.selector === undefined) return new Map();
  const labels = Object.entries(spec.value.selector.matchLabels);
  const labelSelector = labels.map(([name, value]) => `${name}=${value}`).join();
  const found = [kinds.Deployment, kinds.StatefulSet].map(async (kind) => {
    const { items } = await api.list(metadataOf(kind), namespace, { labelSelector });
    return items.map(
      ({ metadata }) =>
        [
          memberNameOf({ kind: kind.kind, name: metadata.name }),
          memberAnnotationsOf(metadata),
        ] as const,
    );
  });
  return new Map((await Promise.all(found)).flat());
}
