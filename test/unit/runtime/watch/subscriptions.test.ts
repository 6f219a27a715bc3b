// What is watched for several listeners of one kind, and which parts of each object are kept?
import { describe, expect, it } from '@jest/globals';
import { kinds, metadataOf } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { watchedFor } from '../../../../src/runtime/watch/subscriptions.ts';

const onChange = (): void => undefined;

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', labels: { app: 'x', tier: 'y' } },
  spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }, { name: 'd' }] },
  status: { phase: 'Running', podIP: '10.0.0.1' },
};

/** A listener that keeps these parts. */
const keeping = (parts: object) => ({
  kind: kinds.Pod,
  slim: ({ apiVersion, kind, metadata: { name } }: KubeObject) => ({
    apiVersion,
    kind,
    metadata: { name },
    ...parts,
  }),
  onChange,
});

const keptOf = (...subscriptions: Parameters<typeof watchedFor>[0]) => {
  const [watched] = watchedFor(subscriptions);
  return watched?.slim === undefined ? pod : watched.slim(pod);
};

describe('the watch of several listeners of one kind', () => {
  it('listeners share one watch in the order in which they subscribed', () => {
    const other = (): void => undefined;
    const onListed = expect.any(Function);
    expect(
      watchedFor([
        { kind: kinds.Deployment, onChange },
        { kind: kinds.Pod, onChange },
        { kind: kinds.Deployment, onChange: other },
      ]),
    ).toEqual([
      { kind: kinds.Deployment, slim: undefined, listeners: [onChange, other], onListed },
      { kind: kinds.Pod, slim: undefined, listeners: [onChange], onListed },
    ]);
  });

  it('a listener is called once, also when two kinds bring the same subscription', () => {
    const shared = { kind: kinds.Pod, onChange };
    expect(watchedFor([shared, shared])[0]?.listeners).toEqual([onChange]);
  });

  it('listeners share a watch of metadata alone if none of them needs more', () => {
    const metadata = { kind: metadataOf(kinds.ConfigMap), onChange };
    const whole = { kind: kinds.ConfigMap, onChange };
    expect(watchedFor([metadata, metadata])[0]?.kind).toEqual(metadataOf(kinds.ConfigMap));
    expect(watchedFor([metadata, whole])[0]?.kind).toEqual(kinds.ConfigMap);
  });
});

describe('the kept parts of an object', () => {
  it.each([
    [
      'what the only listener asks for',
      [keeping({ status: { phase: 'Running' } })],
      ['status.phase'],
    ],
    [
      'what one of two asks for',
      [keeping({ status: { phase: 'Running' } }), keeping({ spec: { nodeName: 'n' } })],
      ['status.phase', 'spec.nodeName'],
    ],
    [
      'two fields of the same part',
      [keeping({ status: { phase: 'Running' } }), keeping({ status: { podIP: '10.0.0.1' } })],
      ['status.phase', 'status.podIP'],
    ],
    [
      'of each item of a list what one of two asks for',
      [
        keeping({ spec: { containers: [{ name: 'c' }, { name: 'd' }] } }),
        keeping({ spec: { containers: [{ image: 'i' }, {}] } }),
      ],
      ['spec.containers.0.name', 'spec.containers.0.image', 'spec.containers.1.name'],
    ],
  ] as const)('the kept parts of an object are %s', (_, subscriptions, paths) => {
    const kept = keptOf(...subscriptions);
    const leaves = (value: unknown, at: string): readonly string[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, below]) =>
            leaves(below, at === '' ? key : `${at}.${key}`),
          )
        : [at];
    expect(leaves(kept, '').filter((path) => /^(spec|status)/.test(path))).toEqual(paths);
  });

  it('a whole list is kept when two listeners trim it differently', () => {
    const one = keeping({ spec: { containers: [{ name: 'c' }] } });
    const other = keeping({ spec: { containers: [{ name: 'c' }, { name: 'd' }] } });
    expect(keptOf(one, other)).toMatchObject({ spec: { containers: pod.spec.containers } });
  });

  it('a whole object is kept if one listener asks for all', () => {
    expect(keptOf(keeping({}), { kind: kinds.Pod, onChange })).toBe(pod);
    expect(keptOf(keeping({}), { kind: kinds.Pod, slim: (object) => object, onChange })).toBe(pod);
  });
});
