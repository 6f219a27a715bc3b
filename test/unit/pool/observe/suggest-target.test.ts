// What does a pool that finds no workers say was probably meant?
import { describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { carriedOut } from '../../../support/pool-decisions.ts';
import { conditionOf, NOW } from '../../../support/pool-worlds.ts';
import { gathered, object, tv } from './gathering.ts';

const { StatefulSet, Deployment } = kinds;

/** Its own label is its name; those of its pods may be more. */
const workload = (
  kind: Kind,
  name: string,
  podLabels: Readonly<Record<string, string>> = {},
): KubeObject =>
  object(kind, name, {
    spec: {
      replicas: 1,
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name, ...podLabels } }, spec: {} },
    },
  });

const edge = { tier: 'edge' };
const selecting = (workers: object = {}): KubeObject =>
  tv({ workers: { selector: { matchLabels: edge }, ...workers } });
const naming = (targetRef: object): KubeObject => tv({ workers: { targetRef } });

/** Of the condition Ready, up to what stays in force. */
async function toldOf(...objects: readonly KubeObject[]): Promise<string> {
  const world = await gathered(objects);
  const ready = conditionOf(carriedOut(world, decidePool(world, NOW)), 'Ready');
  expect(ready?.reason).toBe('TargetNotFound');
  return ready?.message.replace(/; nothing is published yet$/, '') ?? '';
}

describe('a selector that finds nothing', () => {
  it('a selector that finds nothing suggests all workloads whose pods have its labels, by name', async () => {
    const sets = ['c', 'a', 'b'].map((name) => workload(StatefulSet, name, edge));
    await expect(toldOf(selecting(), ...sets, workload(StatefulSet, 'd'))).resolves.toBe(
      'no StatefulSet has the labels tier=edge (only the pods of StatefulSet/a, StatefulSet/b, StatefulSet/c have them: ' +
        'the StatefulSet itself needs these labels; add them, or name it in spec.workers.targetRef)',
    );
  });

  it('a selector without a kind suggests a Deployment whose pods have its labels', async () => {
    const web = workload(Deployment, 'web', edge);
    await expect(toldOf(selecting(), web)).resolves.toBe(
      'no StatefulSet has the labels tier=edge (only the pods of Deployment/web have them: ' +
        'the Deployment itself needs these labels; add them, or name it in spec.workers.targetRef)',
    );
    await expect(toldOf(selecting({ kind: 'StatefulSet' }), web)).resolves.toBe(
      'no StatefulSet has the labels tier=edge',
    );
  });

  it.each([
    ['a typo in a value', { app: 'tv', tier: 'egde' }, 'tier=egde'],
    ['a typo in a key', { app: 'tv', teir: 'edge' }, 'teir=edge'],
    ['another value', { app: 'tv', tier: 'core' }, undefined],
    ['two typos', { app: 'tvs', tier: 'egde' }, undefined],
  ])(
    'a selector suggests a workload whose labels differ by one typo: %s',
    async (_, labels, near) => {
      const named = workload(StatefulSet, 'workers');
      const set = { ...named, metadata: { ...named.metadata, labels } };
      const pool = selecting({ selector: { matchLabels: { app: 'tv', ...edge } } });
      const suggestion =
        near === undefined ? '' : ` (StatefulSet/workers has ${near}; did you mean that?)`;
      await expect(toldOf(pool, set)).resolves.toBe(
        `no StatefulSet has the labels app=tv,tier=edge${suggestion}`,
      );
    },
  );

  it('a selector suggests nothing when a label of the pods differs', async () => {
    const set = workload(StatefulSet, 'a', { tier: 'core' });
    await expect(toldOf(selecting(), set)).resolves.toBe('no StatefulSet has the labels tier=edge');
  });
});

describe('a targetRef that finds nothing', () => {
  it('a targetRef that finds nothing suggests the workload of the other kind with that name', async () => {
    const both = [workload(Deployment, 'web'), workload(StatefulSet, 'webs')];
    await expect(toldOf(naming({ name: 'web' }), ...both)).resolves.toBe(
      'there is no StatefulSet web (Deployment/web exists; set spec.workers.targetRef.kind to Deployment)',
    );
    const set = workload(StatefulSet, 'web');
    await expect(toldOf(naming({ kind: 'Deployment', name: 'web' }), set)).resolves.toBe(
      'there is no Deployment web (StatefulSet/web exists; set spec.workers.targetRef.kind to StatefulSet)',
    );
  });

  it('a targetRef suggests the nearest name, first of its own kind, then of the other', async () => {
    const near = [workload(Deployment, 'workers'), workload(StatefulSet, 'workrs')];
    const wanted = naming({ name: 'wokers' });
    await expect(toldOf(wanted, ...near)).resolves.toBe(
      'there is no StatefulSet wokers (did you mean StatefulSet/workrs?)',
    );
    await expect(toldOf(wanted, ...near.slice(0, 1))).resolves.toBe(
      'there is no StatefulSet wokers (did you mean Deployment/workers?)',
    );
  });

  it('a targetRef suggests the first by name of equally near ones', async () => {
    const sets = ['web-c', 'web-a', 'web-b'].map((name) => workload(StatefulSet, name));
    await expect(toldOf(naming({ name: 'web-d' }), ...sets)).resolves.toContain(
      'did you mean StatefulSet/web-a?',
    );
  });

  it('a targetRef suggests nothing that is in another namespace, is being deleted, or is far off', async () => {
    const set = workload(StatefulSet, 'workers');
    const { metadata } = set;
    const elsewhere = { ...set, metadata: { ...metadata, namespace: 'other' } };
    const leaving = {
      ...set,
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    };
    const far = workload(StatefulSet, 'database');
    const wanted = naming({ name: 'worker' });
    await expect(toldOf(wanted, elsewhere, far)).resolves.toBe('there is no StatefulSet worker');
    await expect(toldOf(wanted, leaving, far)).resolves.toBe('there is no StatefulSet worker');
  });

  it('a targetRef compares at most 200 names of each kind', async () => {
    const sets = Array.from({ length: 200 }, (_, at) =>
      workload(StatefulSet, `a-${String(at).padStart(6, '0')}`),
    );
    const last = workload(StatefulSet, 'z-worker');
    const wanted = naming({ name: 'z-workre' });
    await expect(toldOf(wanted, ...sets.slice(1), last)).resolves.toContain('z-worker?');
    await expect(toldOf(wanted, ...sets, last)).resolves.toBe('there is no StatefulSet z-workre');
  });
});
