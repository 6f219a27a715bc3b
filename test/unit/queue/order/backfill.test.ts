// Which jobs may use the room that is kept for another one, until that one starts?
import { describe, expect, it } from '@jest/globals';
import { admit, type InUse } from '../../../../src/queue/admit.ts';
import { boundOfQueue } from '../../../../src/queue/order/bounds.ts';
import { demandFor, MOST_KEEPERS } from '../../../../src/queue/order/free-quota.ts';
import type { Until } from '../../../../src/queue/order/when-free.ts';
import type { WaitingJob } from '../../../../src/queue/world.ts';
import { amounts, jobOf, queueOf, worldOf } from '../../../support/namespace-worlds.ts';

const PODS = 10n ** 9n;
const SECOND = 1_000;

/** Four pods, of which job r has three until then. */
function admittedBeside(until: Until, jobs: readonly WaitingJob[], over = {}, pods = 4): string {
  const living = [{ uid: 'r', name: 'r', queue: 'batch', requests: amounts({ pods: 3 }) }];
  const holds = [demandFor(boundOfQueue('batch'), 'pods', 3n * PODS)];
  const inUse: readonly InUse[] = [{ uid: 'r', holds, until }];
  const world = worldOf([queueOf({ pods })], jobs, { living, startsInMs: 2 * SECOND, ...over });
  return admit(world, () => inUse)
    .admitted.map(({ name }) => name)
    .join(' ');
}

const endsAt = (seconds: number): Until => ({ ms: seconds * SECOND });
/** It takes two seconds to start, and five to end. */
const short = (name: string, deadlineSeconds: number | undefined, size = 1): WaitingJob =>
  jobOf(name, size, {}, { deadlineSeconds, endsInMs: 5 * SECOND });
const first = jobOf('a', 4, {}, { deadlineSeconds: 100 });

describe('a job behind one that waits', () => {
  it('a job behind the first starts if its deadline ends it before the latest start of the first', () => {
    expect(admittedBeside(endsAt(17), [first, short('b', 10)])).toBe('b');
    expect(admittedBeside(endsAt(16), [first, short('b', 10)])).toBe('');
  });

  it('a job behind the first waits if it has no deadline, or if a running job has none', () => {
    expect(admittedBeside(endsAt(1_000), [first, short('b', undefined)])).toBe('');
    const unknown = { unknown: 'job r has no deadline' };
    expect(admittedBeside(unknown, [first, short('b', 10)])).toBe('');
  });

  it('a job behind the first starts only if there is room for it now', () =>
    expect(admittedBeside(endsAt(100), [first, short('b', 10, 2), short('c', 10)])).toBe('c'));

  it('a job behind the first two delays neither of them', () => {
    // Four of the five pods are those of job a from 17 s to 119 s; then job s has all.
    const second = jobOf('s', 5, {}, { deadlineSeconds: 100 });
    const jobs = (seconds: number) => [first, second, short('t', seconds)];
    expect(admittedBeside(endsAt(17), jobs(10), {}, 5)).toBe('t');
    expect(admittedBeside(endsAt(17), jobs(11), {}, 5)).toBe('');
  });

  it('a job behind the first two may use the resources of the second until the first has ended', () => {
    const uses = (
      name: string,
      perPod: Readonly<Record<string, number>>,
      deadlineSeconds?: number,
    ) => jobOf(name, 1, perPod, { deadlineSeconds });
    const jobs = [
      uses('a', { cpu: 1, gpu: 2 }, 100),
      uses('s', { cpu: 0, gpu: 2 }),
      uses('t', { cpu: 0, gpu: 1 }, 10),
    ];
    const living = [{ uid: 'r', name: 'r', queue: 'batch', requests: amounts({ cpu: 1 }) }];
    const world = worldOf([queueOf({ cpu: 1, gpu: 2 })], jobs, { living });
    const holds = [demandFor(boundOfQueue('batch'), 'cpu', PODS)];
    const { admitted } = admit(world, () => [{ uid: 'r', holds, until: endsAt(60) }]);
    expect(admitted.map(({ name }) => name)).toEqual(['t']);
  });

  it('a job behind the first waits with StrictFIFO', () => {
    const living = [{ uid: 'r', name: 'r', queue: 'batch', requests: amounts({ pods: 3 }) }];
    const queues = [queueOf({ pods: 4 }, { strategy: 'StrictFIFO' })];
    const holds = [demandFor(boundOfQueue('batch'), 'pods', 3n * PODS)];
    const world = worldOf(queues, [first, short('b', 10)], { living });
    expect(admit(world, () => [{ uid: 'r', holds, until: endsAt(900) }]).admitted).toEqual([]);
  });

  it('running jobs are read only if a deadline may let another job pass', () => {
    let reads = 0;
    const read = (jobs: readonly WaitingJob[]): number => {
      admit(worldOf([queueOf({ pods: 1 })], jobs), () => {
        reads += 1;
        return [];
      });
      return reads;
    };
    const living = jobOf('0', 1);
    expect(read([living, short('b', undefined), short('c', undefined)])).toBe(0);
  });

  it('a job waits behind jobs of more queues than a pass examines', () => {
    const count = MOST_KEEPERS + 1;
    const names = Array.from({ length: count }, (_, at) => `queue-${at}`);
    const charges = (pods: number) => new Map([['all', amounts({ pods })]]);
    const heads = names.map((queue, at) =>
      jobOf(`h${at}`, 4, {}, { queue, charges: charges(4), createdMs: at, deadlineSeconds: 9 }),
    );
    const last = jobOf(
      'z',
      1,
      {},
      {
        ...{ queue: 'other', charges: charges(1), createdMs: 10_000, deadlineSeconds: 1 },
      },
    );
    const holds = [demandFor('ResourceQuota all', 'pods', 3n * PODS)];
    const admittedWith = (some: readonly WaitingJob[]): readonly string[] => {
      const resourceQuotas = [
        {
          ...{ name: 'all', hard: amounts({ pods: 4 }), used: amounts({ pods: 3 }) },
          ...{ promised: amounts({}), ofOthers: amounts({}) },
        },
      ];
      const queues = [...names, 'other'].map((name) => queueOf({}, { name }));
      const world = worldOf(queues, [...some, last], { resourceQuotas });
      const { admitted } = admit(world, () => [{ uid: 'r', holds, until: endsAt(60) }]);
      return admitted.map(({ name }) => name);
    };
    expect(admittedWith(heads.slice(0, 3))).toEqual(['z']);
    expect(admittedWith(heads)).toEqual([]);
  });
});
