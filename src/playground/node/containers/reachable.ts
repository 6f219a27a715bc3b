// Can another user get at the programs of an image at all? A clone in a home directory is often
// closed to all others.
import { statSync } from 'node:fs';
import path from 'node:path';
import { findImage, type Images } from '../images.ts';
import type { Container } from '../pods/pod-spec.ts';

export type Owned = { readonly mode: number; readonly uid: number; readonly gid: number };

/**
 * The first folder or file on the way to an image's programs that this container's user may not
 * enter or read.
 */
export function closedTo(
  container: Container,
  images: Images,
  look: (at: string) => Owned | undefined = lookAt,
): string | undefined {
  const { runAsUser, runAsGroup } = container;
  if (runAsUser === undefined || runAsUser === 0) return undefined;
  const programs = (findImage(images, container.image)?.command ?? []).filter((word) =>
    path.isAbsolute(word),
  );
  return programs.flatMap(waysTo).find((at) => {
    const owned = look(at);
    return (
      owned !== undefined && !mayUse(owned, runAsUser, runAsGroup, programs.includes(at) ? 4 : 1)
    );
  });
}

/** `/a`, `/a/b`, `/a/b/c`. */
function waysTo(program: string): readonly string[] {
  const parts = program.split('/').filter(Boolean);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** As the kernel decides: the owner by the owner's bits alone, then the group by the group's. */
function mayUse(
  { mode, uid, gid }: Owned,
  user: number,
  group: number | undefined,
  bit: 1 | 4,
): boolean {
  const shift = user === uid ? 6 : group === gid ? 3 : 0;
  return ((mode >> shift) & bit) === bit;
}

function lookAt(at: string): Owned | undefined {
  try {
    return statSync(at);
  } catch {
    return undefined;
  }
}
