// What we wrote is not read again, and what others wrote always is.
import { expect, it } from '@jest/globals';
import { type Assignment, writeAssignment } from '../../../src/api/assignment.ts';
import type { ConfigMap } from '../../../src/api/observed.ts';
import { Readings } from '../../../src/controllers/readings.ts';
import { decidePool } from '../../../src/core/pool/decide.ts';
import { NOW, world } from '../../support/pool-worlds.ts';

const found = (text: string, version: string): ConfigMap => ({
  name: 'tv-assignments',
  namespace: 'swarm',
  uid: 'u',
  resourceVersion: version,
  labels: {},
  annotations: {},
  data: { 'config.yml': text },
});

it('a text that stands there as it was written is what it was written from; any other is read', () => {
  const decision = decidePool(world(), NOW);
  const [create] = decision.steps;
  const text = create?.do === 'create' ? String((create.object['data'] as Record<string, unknown>)['config.yml']) : '';
  const readings = new Readings();
  readings.expect(decision);
  const edited = new Map([['worker-0', { jobs: ['by hand'], version: 1 }]]);
  const others: Assignment = { workloads: edited, version: 1 };
  expect(readings.assignment(found(writeAssignment(others), '1'), 'config.yml')).toEqual({ ok: true, assignment: others });
  const own = readings.assignment(found(text, '2'), 'config.yml');
  const again = new Readings().assignment(found(text, '2'), 'config.yml');
  expect(own).toEqual(again);
  expect(readings.assignment(found('no: {', '3'), 'config.yml')?.ok).toBe(false);
});
