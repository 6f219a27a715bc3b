import { describe, expect, it } from '@jest/globals';
import { closedTo, type Owned } from '../../../../src/playground/node/containers/reachable.ts';
import type { Images } from '../../../../src/playground/node/images.ts';
import { everyContainer, readPod } from '../../../../src/playground/node/pods/pod-spec.ts';

const images: Images = {
  worker: { command: ['/root/clone/node', '/root/clone/main.ts', '--flag'] },
  plain: { command: [] },
};

function container(runAsUser: number | undefined, image = 'worker', runAsGroup?: number) {
  const securityContext = {
    ...(runAsUser !== undefined && { runAsUser }),
    ...(runAsGroup !== undefined && { runAsGroup }),
  };
  const pod = readPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image, securityContext }] },
  });
  const [first] = everyContainer(pod);
  if (first === undefined) throw new Error('no container');
  return [pod, first] as const;
}

const files =
  (home: number, owner = 0, group = 0) =>
  (at: string): Owned | undefined =>
    at === '/root' ? { mode: home, uid: owner, gid: group } : { mode: 0o755, uid: 0, gid: 0 };

describe('closedTo: the programs of an image', () => {
  it.each([
    ['closed by a home of 0700', container(1000), files(0o700), '/root'],
    ['open with a home of 0755', container(1000), files(0o755), undefined],
    ['open to the owner of a home of 0700', container(1000), files(0o700, 1000), undefined],
    [
      'open to the group of a home of 0710',
      container(1000, 'worker', 50),
      files(0o710, 0, 50),
      undefined,
    ],
    ['closed to another group', container(1000, 'worker', 51), files(0o710, 0, 50), '/root'],
    ['never closed to root', container(0), files(0o700), undefined],
    ['never closed without a wish for a user', container(undefined), files(0o700), undefined],
    [
      'not asked for where the pod brings its own command',
      container(1000, 'plain'),
      files(0o700),
      undefined,
    ],
  ])('the programs of an image are %s', (_, one, look, want) => {
    expect(closedTo(...one, images, look)).toBe(want);
  });

  it('the programs of an image are closed when the file itself cannot be read', () => {
    const look = (at: string): Owned => ({
      mode: at.endsWith('main.ts') ? 0o600 : 0o755,
      uid: 0,
      gid: 0,
    });
    expect(closedTo(...container(1000), images, look)).toBe('/root/clone/main.ts');
  });
});
