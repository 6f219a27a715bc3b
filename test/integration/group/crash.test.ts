// Does a group get to its size when its operator is killed in mid-transition? The cells of
// test/faults kill it at more points.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { eventually } from '../../support/processes.ts';
import { operatorWrites } from '../support/audit.ts';
import { type Group, makeGroup } from '../support/group.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let group: Group;
let operator: OperatorProcess;

beforeAll(async () => {
  swarm = await Swarm.start();
  operator = await swarm.operator('--leader-election', 'false');
  group = await makeGroup(swarm, 'group-crash', {
    members: { db: {}, app: { replicas: 2 }, web: {} },
    spec: {
      replicas: 1,
      members: [
        { kind: 'Deployment', name: 'db', stage: 0, maxReplicas: 2 },
        { kind: 'Deployment', name: 'app', stage: 1, ratio: 2 },
        { kind: 'Deployment', name: 'web', stage: 2, ratio: '0.5' },
      ],
      transition: { order: 'Staged' },
    },
  });
  await group.atSize(1);
});

afterAll(() => swarm.stop());

const scales = (): number =>
  operatorWrites(swarm.audit, group.namespace).filter((what) => what === 'deployments/scale')
    .length;

const replicas = (): Promise<readonly unknown[]> =>
  Promise.all(['db', 'app', 'web'].map((name) => group.replicas('Deployment', name)));

describe('an operator killed in the middle of a transition', () => {
  it.each([
    ['up, after its first scale', 3, 1, [2, 6, 2], { from: 1, before: [1, 2, 1] }],
    ['down, after its second scale', 1, 2, [1, 2, 1], { from: 3, before: [2, 6, 2] }],
  ])(
    'an operator that is killed while it scales %s: its successor completes the transition',
    async (_, size, k, at, was) => {
      const before = scales();
      await group.kubectl('scale', 'swarmgroup/shop', `--replicas=${size}`);
      await eventually(`${k} scales`, () => scales() >= before + k);
      await operator.end('SIGKILL');
      operator = await swarm.operator('--leader-election', 'false');
      const { transition } = await group.atSize(size);
      expect(await replicas()).toEqual(at);
      expect(transition).toMatchObject({ state: 'Completed', from: was.from, to: size });
      expect(transition?.before?.map((member) => member.replicas)).toEqual(was.before);
      expect(scales()).toBe(before + 3);
    },
  );
});
