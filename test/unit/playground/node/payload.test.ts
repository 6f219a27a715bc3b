import { describe, expect, it } from '@jest/globals';
import { type PayloadInputs, payloadOf } from '../../../../src/playground/node/volumes/payload.ts';
import { named, pod } from './builders.ts';

const objects: Record<string, Record<string, string>> = {
  'configMap/map': { a: '1', b: '2' },
  'secret/key': { a: 'hidden' },
};

function payload(volume: object, more: Partial<PayloadInputs> = {}, spec: object = {}): object {
  const of = pod(
    {
      containers: [named('main', { resources: { limits: { cpu: '2' } } })],
      volumes: [{ name: 'v', ...volume }],
      ...spec,
    },
    {},
    { annotations: { z: 'say "hi"', a: '1' } },
  );
  const [first] = of.spec.volumes ?? [];
  if (first === undefined) throw new Error('the pod has no volume');
  const lookup: PayloadInputs['lookup'] = (from, name) => {
    const data = objects[`${from}/${name}`];
    return data === undefined
      ? undefined
      : new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)]));
  };
  const made = payloadOf(first, {
    pod: of,
    nodeName: 'alpha',
    podIP: '127.9.9.1',
    hostIP: '127.0.0.1',
    allocatable: {},
    lookup,
    token: () => 'token!',
    ...more,
  });
  if ('missing' in made) return made;
  return Object.fromEntries(
    [...made].map(([path, { data, mode }]) => [path, `${data.toString()} ${mode.toString(8)}`]),
  );
}

const downward = (path: string, fieldPath: string) => ({
  downwardAPI: { items: [{ path, fieldRef: { fieldPath } }] },
});

describe('the files of a volume', () => {
  it.each<[string, object, object]>([
    ["are a ConfigMap's keys", { configMap: { name: 'map' } }, { a: '1 644', b: '2 644' }],
    [
      "are a Secret's keys, with their mode",
      { secret: { secretName: 'key', defaultMode: 0o400 } },
      { a: 'hidden 400' },
    ],
    [
      'are the chosen items only',
      { configMap: { name: 'map', items: [{ key: 'b', path: 'x/y', mode: 0o600 }] } },
      { 'x/y': '2 600' },
    ],
    ['are none when optional and absent', { configMap: { name: 'none', optional: true } }, {}],
    [
      'leave out an optional item',
      { configMap: { name: 'map', optional: true, items: [{ key: 'c', path: 'c' }] } },
      {},
    ],
    [
      'need the ConfigMap',
      { configMap: { name: 'none' } },
      { missing: 'configmap "none" not found' },
    ],
    [
      'need the item',
      { secret: { secretName: 'key', items: [{ key: 'c', path: 'c' }] } },
      { missing: 'secret "key" references non-existent key: c' },
    ],
    [
      'say one annotation plainly',
      downward('z', "metadata.annotations['z']"),
      { z: 'say "hi" 644' },
    ],
    [
      'say all annotations quoted, in order',
      downward('all', 'metadata.annotations'),
      { all: 'a="1"\nz="say \\"hi\\"" 644' },
    ],
    [
      'know limits',
      {
        downwardAPI: {
          items: [
            { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } },
          ],
        },
      },
      { cpu: '2 644' },
    ],
    [
      'come from many sources, the last one winning',
      {
        projected: {
          sources: [
            { configMap: { name: 'map' } },
            { secret: { name: 'key' } },
            { serviceAccountToken: { path: 'token' } },
            downward('ns', 'metadata.namespace'),
          ],
        },
      },
      { a: 'hidden 644', b: '2 644', token: 'token! 644', ns: 'tv 644' },
    ],
  ])('the files of a volume %s', (_, volume, wanted) => {
    expect(payload(volume)).toEqual(wanted);
  });

  it('the group that the pod asks for can read the files of a volume', () => {
    expect(
      payload(
        { secret: { secretName: 'key', defaultMode: 0o400 } },
        {},
        { securityContext: { fsGroup: 1000 } },
      ),
    ).toEqual({
      a: 'hidden 440',
    });
  });

  it('the files of a volume are missing until there is a token', () => {
    expect(
      payload(
        { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
        { token: () => undefined },
      ),
    ).toHaveProperty('missing');
  });
});
