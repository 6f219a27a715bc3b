import { describe, expect, it } from '@jest/globals';
import { describeMissing, findImage } from '../../../../src/playground/node/images.ts';
import { unsupportedIn } from '../../../../src/playground/node/pods/support.ts';
import { named, pod } from './builders.ts';

const root = {
  closedTo: () => undefined,
  collision: () => undefined,
  isRoot: true,
  mounts: { type: 'namespace', isRoot: true },
} as const;
const user = {
  closedTo: () => undefined,
  collision: () => undefined,
  isRoot: false,
  mounts: { type: 'rewrite', reason: 'no namespaces' },
} as const;
const main = (more: object) => ({ containers: [named('main', more)] });

describe('unsupportedIn', () => {
  it.each<[string, object, Record<string, unknown>]>([
    ['nothing', {}, { blocking: [], notable: [], harmless: [] }],
    [
      'a disk, without which it cannot run',
      { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'x' } }] },
      { blocking: [expect.stringMatching(/^spec\.volumes\[d\]\.persistentVolumeClaim /)] },
    ],
    ["the host's network", { hostNetwork: true }, { notable: ['spec.hostNetwork'] }],
    [
      'a gRPC probe',
      main({ livenessProbe: { grpc: { port: 1 } } }),
      { notable: ['spec.containers[main].livenessProbe.grpc'] },
    ],
    [
      'a hook after the start',
      main({ lifecycle: { postStart: { exec: {} } } }),
      { notable: ['spec.containers[main].lifecycle.postStart'] },
    ],
    [
      'privileges',
      main({ securityContext: { privileged: true } }),
      { notable: ['spec.containers[main].securityContext.privileged'] },
    ],
    [
      'limits and restrictions as harmless',
      main({
        resources: { limits: { cpu: '1' } },
        securityContext: { readOnlyRootFilesystem: true, privileged: false },
      }),
      { notable: [], harmless: ['resources', 'securityContext.readOnlyRootFilesystem'] },
    ],
  ])('unsupportedIn reports %s', (_, spec, wanted) => {
    expect(unsupportedIn(pod(spec), root)).toMatchObject(wanted);
  });

  it('unsupportedIn reports that servers on all addresses collide, where they do', () => {
    const collision = (): string => 'an address of its own';
    expect(unsupportedIn(pod({}), { ...root, collision }).notable).toEqual([collision()]);
  });

  it('unsupportedIn reports other fields when the playground does not run as root', () => {
    const wished = pod({
      securityContext: { runAsUser: 123_456, fsGroup: 1 },
      ...main({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
    });
    expect(unsupportedIn(wished, root).notable).toEqual([]);
    expect(unsupportedIn(wished, user).notable).toEqual([
      expect.stringContaining('runAsUser of main'),
      expect.stringContaining('fsGroup'),
      expect.stringContaining('volumeMounts at their paths (no namespaces'),
    ]);
  });
});

describe('an image', () => {
  const images = {
    worker: { command: ['w'] },
    'busybox:1.36': { command: ['b'] },
    'example.org:5000/team/tool': { command: ['t'] },
  };
  it.each([
    ['worker', 'w'],
    ['worker:dev', 'w'],
    ['ghcr.io/someone/worker:1.0@sha256:abc', 'w'],
    ['example.org:5000/team/tool:2', 't'],
    ['busybox:1.36', 'b'],
    ['busybox:1.37', undefined],
    ['work', undefined],
  ])('the image %s has the command %s', (reference, command) => {
    expect(findImage(images, reference)?.command[0]).toBe(command);
  });

  it('the message about an unknown image lists the known ones', () => {
    expect(describeMissing(images, 'x')).toMatch(
      /"x".*busybox:1\.36, example\.org:5000\/team\/tool, worker \(.*own-worker\.md\)$/,
    );
  });
});
