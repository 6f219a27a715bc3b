import { describe, expect, it } from '@jest/globals';
import type { V1Container } from '@kubernetes/client-node';
import {
  commandOf,
  type EnvironmentInputs,
  environmentOf,
  expand,
  referencedBy,
} from '../../../../src/playground/node/containers/environment.ts';
import { ourImages } from '../../../../src/playground/node/images.ts';
import { named, pod } from './builders.ts';

const objects: Record<string, Record<string, string>> = {
  'configMap/settings': { COLOR: 'red' },
  'secret/password': { key: 'hunter2' },
};
const owner = (container: object) =>
  pod(
    { containers: [named('main', container)], serviceAccountName: 'robot' },
    {},
    { labels: { team: 'tv' } },
  );

function inputs(container: object): { container: V1Container; inputs: EnvironmentInputs } {
  const of = owner(container);
  const [first] = of.containers;
  if (first === undefined) throw new Error('no container');
  const lookup: EnvironmentInputs['lookup'] = (from, name) => {
    const data = objects[`${from}/${name}`];
    return data === undefined
      ? undefined
      : new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)]));
  };
  const facts = { pod: of, nodeName: 'alpha', podIP: '127.9.9.1', hostIP: '127.0.0.1' };
  return {
    container: first,
    inputs: {
      ...facts,
      lookup,
      allocatable: { cpu: '2', memory: '1Gi' },
      given: { POD_IP: '127.9.9.1' },
    },
  };
}

function environment(container: object): object {
  const made = inputs(container);
  return environmentOf(made.container, { command: [], env: { IMAGE: 'own' } }, made.inputs);
}

const from = (source: object) => ({ env: [{ name: 'X', valueFrom: source }] });
const given = { IMAGE: 'own', POD_IP: '127.9.9.1' };

describe('the environment', () => {
  it.each<[string, object, object]>([
    ["has what is always given, and the image's", {}, given],
    [
      'is overridden by the pod',
      { env: [{ name: 'POD_IP', value: '1.2.3.4' }] },
      { ...given, POD_IP: '1.2.3.4' },
    ],
    [
      'takes a whole ConfigMap under a prefix',
      { envFrom: [{ prefix: 'P_', configMapRef: { name: 'settings' } }] },
      { ...given, P_COLOR: 'red' },
    ],
    [
      'takes a key of a Secret',
      from({ secretKeyRef: { name: 'password', key: 'key' } }),
      { ...given, X: 'hunter2' },
    ],
    [
      'leaves out what is optional',
      from({ secretKeyRef: { name: 'none', key: 'key', optional: true } }),
      given,
    ],
    [
      'knows the label',
      from({ fieldRef: { fieldPath: "metadata.labels['team']" } }),
      { ...given, X: 'tv' },
    ],
    [
      'knows no such annotation',
      from({ fieldRef: { fieldPath: "metadata.annotations['none']" } }),
      { ...given, X: '' },
    ],
    [
      'knows the service account',
      from({ fieldRef: { fieldPath: 'spec.serviceAccountName' } }),
      { ...given, X: 'robot' },
    ],
    [
      'knows the node',
      from({ fieldRef: { fieldPath: 'spec.nodeName' } }),
      { ...given, X: 'alpha' },
    ],
    [
      "knows a limit that is the node's",
      from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } }),
      { ...given, X: '1024' },
    ],
    [
      'rounds a limit up',
      {
        ...from({ resourceFieldRef: { resource: 'limits.cpu' } }),
        resources: { limits: { cpu: '250m' } },
      },
      { ...given, X: '1' },
    ],
    [
      'needs the ConfigMap',
      { envFrom: [{ configMapRef: { name: 'none' } }] },
      { missing: 'configmap "none" not found' },
    ],
    [
      'needs the Secret',
      from({ secretKeyRef: { name: 'none', key: 'a' } }),
      { missing: 'secret "none" not found' },
    ],
    [
      'needs the key',
      from({ configMapKeyRef: { name: 'settings', key: 'a' } }),
      { missing: "couldn't find key a in ConfigMap tv/settings" },
    ],
    [
      'refuses other fields',
      from({ fieldRef: { fieldPath: 'spec.priority' } }),
      { missing: 'unsupported fieldPath: spec.priority' },
    ],
  ])('the environment %s', (_, container, wanted) => {
    expect(environment(container)).toEqual(wanted);
  });

  it('referencedBy names the ConfigMaps and Secrets that the environment is made from', () => {
    const { container } = inputs({
      envFrom: [{ secretRef: { name: 'a' } }],
      env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'b', key: 'k' } } }],
    });
    expect(referencedBy(container)).toEqual([
      { from: 'secret', name: 'a' },
      { from: 'configMap', name: 'b' },
    ]);
  });
});

describe('$(NAME)', () => {
  it.each([
    ['plain', 'plain'],
    ['$(A)', 'one'],
    ['$(A)$(B)-$(A)', 'one-one'],
    ['$(NONE)', '$(NONE)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$one'],
    ['$A $', '$A $'],
    ['$(A', '$(A'],
  ])('the value %s expands to %s', (text, wanted) => {
    expect(
      expand(
        text,
        new Map([
          ['A', 'one'],
          ['B', ''],
        ]),
      ),
    ).toBe(wanted);
  });
});

it('the operator’s environment has a home without kubeconfig', () => {
  const image = ourImages['swarm-operator'];
  const made = inputs({});
  const all = environmentOf(made.container, image ?? { command: [] }, {
    ...made.inputs,
    given: { HOME: '/root', POD_IP: '127.9.9.1' },
  });
  expect(all).toMatchObject({ HOME: '/nonexistent', POD_IP: '127.9.9.1' });
});

describe('the command line', () => {
  const image = { command: ['node', 'main.js'], args: ['--default', '$(PORT)'] };
  it.each<[string, object, string[]]>([
    ["is the image's, with its variables filled in", {}, ['node', 'main.js', '--default', '9090']],
    [
      "takes the pod's arguments",
      { args: ['--port', '$(PORT)'] },
      ['node', 'main.js', '--port', '9090'],
    ],
    ["takes the pod's command, and then no arguments of the image", { command: ['sh'] }, ['sh']],
    ['takes both', { command: ['sh', '-c'], args: ['true'] }, ['sh', '-c', 'true']],
  ])('the command line %s', (_, container, wanted) => {
    expect(commandOf(inputs(container).container, image, { PORT: '9090' })).toEqual(wanted);
  });
});
