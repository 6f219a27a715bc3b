// May the user of a container read the programs of its image? A clone in a home directory is often
// closed to other users.
import { statSync } from 'node:fs';
import path from 'node:path';
import type { V1Container } from '@kubernetes/client-node';
import { orUndefined } from '../../../api/text.ts';
import { findImage, type Images } from '../images.ts';
import { identityOf, type NodePod } from '../pods/pod-spec.ts';

export type Owned = { readonly mode: number; readonly uid: number; readonly gid: number };

/** The first folder or file on the way to the image's programs that the user may not use. */
export function closedTo(
  pod: NodePod,
  container: V1Container,
  images: Images,
  stat: (at: string) => Owned | undefined = (at) => orUndefined(() => statSync(at)),
): string | undefined {
  const { runAsUser, runAsGroup } = identityOf(pod, container);
  if (runAsUser === undefined || runAsUser === 0) return undefined;
  const { command = [] } = findImage(images, container.image ?? '') ?? {};
  const programs = command.filter((word) => path.isAbsolute(word));
  return programs.flatMap(pathsTo).find((at) => {
    const owned = stat(at);
    const bit = programs.includes(at) ? 4 : 1;
    return owned !== undefined && !mayUse(owned, runAsUser, runAsGroup, bit);
  });
}

/** `/a`, `/a/b`, `/a/b/c`. */
function pathsTo(program: string): readonly string[] {
  const parts = program.split('/').filter(Boolean);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** As the kernel decides: the owner by the owner's bits alone, then the group by the group's. */
function mayUse({ mode, uid, gid }: Owned, user: number, group: number | undefined, bit: 1 | 4) {
  const shift = user === uid ? 6 : group === gid ? 3 : 0;
  return ((mode >> shift) & bit) === bit;
}
