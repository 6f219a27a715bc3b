// Follows the pod's annotation k8slab.info/assigned, which is mounted as a file like the
// assignment.
import { textOf } from './follow.ts';
import { watchFolderOf } from './watch-folder.ts';

export type FollowAnnotationOptions = {
  readonly path: string;
  readonly pollMs: number;
  /** Called with the new text when it has changed; undefined while there is none. */
  readonly onChange: (text: string | undefined) => void;
};

export function followAnnotation({ path, pollMs, onChange }: FollowAnnotationOptions): {
  readonly close: () => void;
} {
  const changes = watchFolderOf(path, () => void read());
  let last: string | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function read(): Promise<void> {
    // Where it cannot be read now, the last text still holds: it vouches for one version only.
    const text = await textOf(path).catch(() => last);
    if (isClosed || text === last) return;
    last = text;
    onChange(text);
  }

  async function poll(): Promise<void> {
    await changes.renew();
    await read();
    if (!isClosed) timer = setTimeout(() => void poll(), pollMs);
  }
  void poll();

  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      changes.close();
    },
  };
}
