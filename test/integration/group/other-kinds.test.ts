// Does a group scale objects of a kind that the administrator named, on a real API server, with
// rights on their scale alone, and is it told why it cannot?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../../src/api/objects.ts';
import { hasCode } from '../../../src/runtime/client/errors.ts';
import { definitionsServed } from '../../support/definitions.ts';
import { eventually } from '../../support/processes.ts';
import { type Group, makeGroupIn, makeMembers } from '../support/group.ts';
import { Swarm } from '../support/swarm.ts';

const cell: Kind = {
  group: 'example.org',
  version: 'v1',
  kind: 'Cell',
  plural: 'cells',
  namespaced: true,
};
const apiVersion = 'example.org/v1';

const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

const definition = (kind: string, plural: string, subresources: object): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.org` },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, ...subresources },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
});

let swarm: Swarm;
const ended = new AbortController();
let controller: Promise<void> = Promise.resolve();

beforeAll(async () => {
  // Rights are missing at first, and deploy/ grants none on cells.
  swarm = await Swarm.start({ controlPlane: {}, keepsAudit: false });
  await swarm.apply(definition('Cell', 'cells', { scale }), definition('Stone', 'stones', {}));
  await definitionsServed((...args) => swarm.kubectl(...args));
  controller = reconcileCells();
  await swarm.operator(
    '--leader-election',
    'false',
    '--member-kinds',
    'example.org/v1/Cell,example.org/v1/Stone,example.org/v9/Ghost',
  );
});

afterAll(async () => {
  ended.abort();
  await controller;
  await swarm?.stop();
});

/** What a controller of cells would do: it starts as many as their spec asks for. */
async function reconcileCells(): Promise<void> {
  const { api } = swarm;
  const bring = async (object: KubeObject): Promise<void> => {
    const replicas = asNumber(dig(object, 'spec', 'replicas')) ?? 0;
    if (dig(object, 'status', 'replicas') === replicas || dig(object, 'spec', 'isStuck') === true)
      return;
    const body = { status: { replicas, selector: 'cell=a' } };
    await api
      .patch(cell, object.metadata, { type: 'merge', body }, 'status')
      .catch((error: unknown) => {
        if (!hasCode(error, 'NotFound')) throw error;
      });
  };
  while (!ended.signal.aborted) {
    try {
      const { items, resourceVersion } = await api.list(cell, undefined);
      for (const item of items) await bring(item);
      const watch = { resourceVersion, timeoutSeconds: 60 };
      for await (const { type, object } of api.watch(cell, undefined, watch, ended))
        if (type === 'ADDED' || type === 'MODIFIED') await bring(object);
    } catch (error) {
      if (!ended.signal.aborted && !hasCode(error, 'Gone', 'Timeout')) throw error;
    }
  }
}

/** As docs/how-to/groups.md says. */
const grant = (): Promise<string> => {
  const value = {
    apiGroups: ['example.org'],
    resources: ['cells/scale'],
    verbs: ['get', 'update'],
  };
  const patch = JSON.stringify([{ op: 'add', path: '/rules/-', value }]);
  return swarm.kubectl('patch', 'clusterrole', 'swarm-operator-groups', '--type=json', '-p', patch);
};

const cellNamed = (name: string, rest: object = {}) => ({
  apiVersion,
  kind: 'Cell',
  name,
  ...rest,
});

async function groupOf(namespace: string, members: readonly object[]): Promise<Group> {
  await makeMembers(swarm, namespace, { web: {} });
  await swarm.create(cell, namespace, 'a', { spec: { replicas: 1 } });
  return makeGroupIn(swarm, namespace, {
    members: {},
    spec: { replicas: 1, members: [{ kind: 'Deployment', name: 'web' }, ...members] },
  });
}

const cellsOf = async ({ namespace }: Group): Promise<unknown> =>
  dig(await swarm.api.get(cell, { namespace, name: 'a' }), 'spec', 'replicas') ?? 0;

const untilMember = (group: Group, name: string, state: string, words: string) =>
  group.until(`has ${name} ${state}`, ({ members = [] }) =>
    members.some(
      (it) => it.name === name && it.state === state && it.message?.includes(words) === true,
    ),
  );

describe('a group with a member of a named kind', () => {
  it('a group reports a member that it may not read, scales the others, and scales it once it may', async () => {
    const group = await groupOf('cells', [cellNamed('a', { ratio: 2 })]);
    await untilMember(group, 'a', 'Refused', 'cannot get resource "cells/scale"');
    await group.edit({ replicas: 2 });
    await eventually('the Deployment has 2', async () => {
      return (await group.replicas('Deployment', 'web')) === 2;
    });
    await grant();
    await group.atSize(2);
    expect(await cellsOf(group)).toBe(4);
  });

  it('a group scales a member of another kind up, down and to 0 with the others, and measures it', async () => {
    const group = await groupOf('sizes', [cellNamed('a', { ratio: 2 })]);
    await group.atSize(1);
    await group.kubectl('scale', 'swarmgroup/shop', '--replicas=3');
    const { transition, members } = await group.atSize(3);
    expect(await cellsOf(group)).toBe(6);
    expect(transition).toMatchObject({ state: 'Completed', from: 1, to: 3 });
    expect(transition?.times?.members).toContainEqual(
      expect.objectContaining({ kind: 'Cell', name: 'a', readyMilliseconds: expect.any(Number) }),
    );
    expect(members?.[1]).toMatchObject({ kind: 'Cell', replicas: 6, ready: 6, state: 'Ready' });
    await group.edit({ replicas: 0 });
    await group.atSize(0);
    expect(await cellsOf(group)).toBe(0);
    await group.edit({ replicas: 1 });
    await group.atSize(1);
    expect(await cellsOf(group)).toBe(2);
  });

  it('a group rolls back a member of another kind with the others after a time-out', async () => {
    const group = await groupOf('back', [cellNamed('a', { stage: 1 })]);
    await group.edit({
      transition: { order: 'Staged', timeoutSeconds: 5, onTimeout: 'Rollback' },
    });
    await group.atSize(1);
    const ref = { namespace: group.namespace, name: 'a' };
    await swarm.api.patch(cell, ref, { type: 'merge', body: { spec: { isStuck: true } } });
    await group.edit({ replicas: 2 });
    const { history } = await group.until(
      'is rolled back',
      ({ transition }) => transition?.state === 'RolledBack',
    );
    expect(history?.[0]).toMatchObject({ from: 1, to: 2, outcome: 'RolledBack' });
    expect(await cellsOf(group)).toBe(1);
    expect(await group.replicas('Deployment', 'web')).toBe(1);
  });

  it('a group corrects a member of another kind that a user scaled', async () => {
    const group = await groupOf('hands', [cellNamed('a')]);
    await group.atSize(1);
    await group.kubectl('scale', 'cells.example.org/a', '--replicas=5');
    await group.edit({ replicas: 2 });
    await group.atSize(2);
    expect(await cellsOf(group)).toBe(2);
  });

  it('a group leaves a member of another kind to its autoscaler', async () => {
    const group = await groupOf('scaled', [cellNamed('a')]);
    await group.atSize(1);
    await swarm.create(kinds.HorizontalPodAutoscaler, group.namespace, 'hpa', {
      spec: { scaleTargetRef: { apiVersion, kind: 'Cell', name: 'a' }, maxReplicas: 5 },
    });
    await untilMember(group, 'a', 'Conflicted', 'HorizontalPodAutoscaler hpa scales it');
    await group.edit({ replicas: 3 });
    await eventually('the Deployment has 3', async () => {
      return (await group.replicas('Deployment', 'web')) === 3;
    });
    expect(await cellsOf(group)).toBe(1);
  });

  it.each<[string, object, string]>([
    [
      'was not named',
      { apiVersion: 'example.org/v2', kind: 'Cell', name: 'b' },
      'apiVersion example.org/v2, kind Cell is not allowed; allowed are Deployment, StatefulSet, SwarmPool',
    ],
    [
      'has no scale',
      { apiVersion, kind: 'Stone', name: 'b' },
      'example.org/v1/Stone has no scale subresource',
    ],
    [
      'is not served',
      { apiVersion: 'example.org/v9', kind: 'Ghost', name: 'b' },
      'the API server does not serve example.org/v9/Ghost',
    ],
  ])('a group scales the others when the kind of a member %s', async (what, member, words) => {
    const group = await groupOf(what.replaceAll(' ', '-'), [member, cellNamed('a')]);
    await group.edit({ replicas: 2 });
    await untilMember(group, 'b', 'Refused', words);
    await eventually('the others have 2', async () => {
      return (await group.replicas('Deployment', 'web')) === 2 && (await cellsOf(group)) === 2;
    });
  });
});
