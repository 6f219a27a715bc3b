// Do policies decide the size of a group on a real API server, over a restart of the operator, too?
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drawnSize } from '../../../src/group/policy/propose.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { makeGroup } from '../support/group.ts';
import { Swarm } from '../support/swarm.ts';

const samples = fileURLToPath(new URL('../../../samples/', import.meta.url));

let swarm: Swarm;
let operator: OperatorProcess;

beforeAll(async () => {
  swarm = await Swarm.start();
  operator = await swarm.operator('--leader-election', 'false');
});

afterAll(() => swarm?.stop());

const members = ['a', 'b'].map((name) => ({ kind: 'Deployment', name }));
const groupOf = (namespace: string, spec: object) =>
  makeGroup(swarm, namespace, { members: { a: {}, b: {} }, spec: { members, ...spec } });

describe('policy Random', () => {
  const seed = 42;
  const size = (number: number): number => drawnSize(seed, number, 1, 4);

  it('policy Random follows its seed, and continues after a restart of the operator', async () => {
    const policy = { type: 'Random', maxReplicas: 4, periodSeconds: 5, random: { seed } };
    const group = await groupOf('random', { policy });
    await group.until('has drawn twice', ({ drawn }) => drawn?.number === 1);
    await operator.end();
    operator = await swarm.operator('--leader-election', 'false');
    const seen = new Map<number, number | undefined>();
    const last = await group.until('has drawn again', ({ drawn, proposal }) => {
      if (drawn !== undefined) seen.set(drawn.number, proposal?.replicas);
      return drawn?.number === 3;
    });
    expect([...seen]).toEqual([1, 2, 3].map((number) => [number, size(number)]));
    expect(last.proposal?.reason).toBe('Drawn');
    await group.atSize(size(3));
  });

  it('policy Random refuses a size by hand', async () => {
    const policy = { type: 'Random', maxReplicas: 4, random: { seed } };
    const group = await groupOf('by-hand', { policy });
    await expect(group.kubectl('scale', 'swarmgroup/shop', '--replicas=3')).rejects.toThrow(
      'replicas is for policy.type Manual; with every other type the policy decides',
    );
  });

  it('policy Random keeps in spec a size that was set by hand before', async () => {
    const group = await groupOf('leftover', { replicas: 2 });
    await group.atSize(2);
    const policy = { type: 'Random', minReplicas: 3, maxReplicas: 3, random: { seed } };
    await group.edit({ policy });
    await group.atSize(3);
    await expect(group.edit({ replicas: 4 })).rejects.toThrow('replicas is for policy.type Manual');
    await group.edit({ policy: null });
    await group.atSize(2);
  });
});

describe('policy Schedule', () => {
  it('policy Schedule has the size of the schedule that was due last', async () => {
    const schedules = [
      { name: 'now', schedule: '* * * * *', timeZone: 'Europe/Paris', replicas: 3 },
      { name: 'new-year', schedule: '0 0 1 1 *', replicas: 1 },
    ];
    const group = await groupOf('schedule', {
      policy: { type: 'Schedule', maxReplicas: 5, schedules },
    });
    const { proposal } = await group.atSize(3);
    expect(proposal).toEqual({
      replicas: 3,
      reason: 'Scheduled',
      message: 'schedule now (* * * * *, Europe/Paris) was due last',
    });
  });

  it('policy Schedule moves the bounds of another policy', async () => {
    const schedules = [{ name: 'now', schedule: '* * * * *', maxReplicas: 2 }];
    const group = await groupOf('bounds', { replicas: 4, policy: { schedules } });
    await group.atSize(2);
    expect(await group.condition('Limited')).toMatchObject({
      status: 'True',
      reason: 'AtMaximum',
      message: 'the size would be 4; spec.policy.schedules[now].maxReplicas is 2',
    });
  });

  it('a schedule with a mistake is reported by a condition, with its field', async () => {
    const schedules = [{ name: 'late', schedule: '0 0 31 2 *', replicas: 1 }];
    const group = await groupOf('wrong', {
      policy: { type: 'Schedule', maxReplicas: 5, schedules },
    });
    await group.until('is stalled', ({ conditions = [] }) =>
      conditions.some(({ type, reason }) => type === 'Stalled' && reason === 'InvalidSpec'),
    );
    expect((await group.condition('Stalled'))?.message).toBe(
      'spec.policy.schedules[0].schedule: "0 0 31 2 *" never matches: none of its months has such a day',
    );
  });
});

describe('the samples', () => {
  it('the samples size seven services, at random and by the time of the day', async () => {
    const apply = (sample: string) =>
      swarm.kubectl('apply', '--validate=strict', '-k', `${samples}features/${sample}`);
    const until = (path: string, value: string) =>
      swarm.kubectl(
        ...['-n', 'teastore', 'wait', 'swarmgroup/teastore', '--timeout=120s'],
        `--for=jsonpath=${path}=${value}`,
      );
    await apply('random');
    await until('{.status.drawn.number}', '0');
    await until('{.status.replicas}', String(drawnSize(42, 0, 1, 3)));
    await apply('schedule');
    await until('{.status.proposal.reason}', 'Scheduled');
    await until('{.status.conditions[0].status}', 'True');
  });
});
