// Which jobs are admitted, and is the reason of each other one true?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Amounts } from '../../../src/core/amounts.ts';
import { ONE } from '../../../src/core/quantity.ts';
import { type AdmissionPass, admit } from '../../../src/queue/admit.ts';
import { whyText } from '../../../src/queue/why.ts';
import type { NamespaceWorld, WaitingJob } from '../../../src/queue/world.ts';
import { amounts, jobOf, queueOf, worldOf } from '../../support/namespace-worlds.ts';

const names = ({ admitted }: AdmissionPass): string => admitted.map(({ name }) => name).join(' ');
const why = ({ waiting }: AdmissionPass, name: string): string => {
  const waits = waiting.get(name);
  return waits === undefined ? 'admitted' : `${waits.reason}: ${whyText(waits)}`;
};

describe('the order of jobs', () => {
  it('jobs are admitted by priority, then by age, whatever the order of the list', () => {
    const jobs = [jobOf('c', 1), jobOf('b', 1), jobOf('z', 1, {}, { priority: 7 }), jobOf('a', 1)];
    expect(names(admit(worldOf([queueOf({ pods: 3 })], jobs)))).toBe('z a b');
  });

  it('a smaller job does not overtake the first job, which waits for quota', () => {
    const world = worldOf([queueOf({ pods: 10 })], [jobOf('a', 8), jobOf('b', 4), jobOf('c', 1)]);
    const admission = admit(world);
    expect(names(admission)).toBe('a');
    expect(why(admission, 'b')).toBe('WaitingForQuota: needs 4 pods, 2 are free');
    expect(why(admission, 'c')).toBe(
      'BehindHead: there is room, and it is kept for job b, which goes first',
    );
  });

  it('a job overtakes the first one if it uses nothing of what that waits for', () => {
    const queue = queueOf({ cpu: 4, 'example.org/gpu': 1 });
    const running = {
      uid: 'r',
      name: 'r',
      queue: 'batch',
      requests: amounts({ 'example.org/gpu': 1 }),
    };
    const jobs = [jobOf('a', 1, { cpu: 2, 'example.org/gpu': 1 }), jobOf('b', 2, { cpu: 1 })];
    const admission = admit(worldOf([queue], jobs, { admitted: [running] }));
    expect(names(admission)).toBe('b');
    expect(why(admission, 'a')).toBe('WaitingForQuota: needs 1 example.org/gpu, 0 are free');
  });

  it('a job that uses a free resource of the first one does not overtake it', () => {
    const queue = queueOf({ pods: 3, cpu: 4 });
    const living = { uid: 'r', name: 'r', queue: 'batch', requests: amounts({ pods: 1, cpu: 3 }) };
    const jobs = [jobOf('a', 2, { cpu: 1 }), jobOf('b', 1, { cpu: 0 })];
    const admission = admit(worldOf([queue], jobs, { living: [living] }));
    expect(names(admission)).toBe('');
    expect(why(admission, 'a')).toBe('WaitingForQuota: needs 2 cpu, 1 is free');
    expect(why(admission, 'b')).toMatch(/^BehindHead/);
  });

  it('with BestEffort a job overtakes the second of the queue, and with StrictFIFO no job does', () => {
    const jobs = [
      jobOf('a', 1, { cpu: 3, 'x.org/a': 0, 'x.org/b': 0 }),
      jobOf('b', 1, { cpu: 0, 'x.org/a': 2, 'x.org/b': 0 }),
      jobOf('c', 1, { cpu: 0, 'x.org/a': 1, 'x.org/b': 0 }),
    ];
    const quota = { cpu: 3, 'x.org/a': 2, 'x.org/b': 1 };
    const living = [
      { uid: 'r', name: 'r', queue: 'batch', requests: amounts({ cpu: 1, 'x.org/a': 1 }) },
    ];
    const ways = (['BestEffort', 'StrictFIFO'] as const).map((strategy) =>
      names(admit(worldOf([queueOf(quota, { strategy })], jobs, { living }))),
    );
    expect(ways).toEqual(['c', '']);
  });
});

describe('a job that can never start', () => {
  const queue = queueOf({ pods: 4, cpu: 8, memory: 1024 ** 3 });
  const fits = { cpu: 1, memory: 1 };
  it.each([
    [jobOf('a', 1, fits, { queue: 'night' }), 'QueueNotFound: there is no SwarmQueue night'],
    [
      jobOf('a', 1, fits, { priority: 101 }),
      'PriorityTooHigh: priority is 101, SwarmQueue batch allows at most 100',
    ],
    [
      jobOf('a', 1, { memory: 1 }),
      'RequestMissing: resources.requests has no cpu, which SwarmQueue batch bounds',
    ],
    [
      jobOf('a', 1, { ...fits, 'x.org/gpu': 1 }),
      'ResourceNotOffered: requests x.org/gpu, which the quota of SwarmQueue batch does not name',
    ],
    [
      jobOf('a', 1, {
        ...fits,
        ...Object.fromEntries([...'bcdefghi'].map((it) => [`x.org/${it}`, 1])),
      }),
      'ResourceNotOffered: requests x.org/b, x.org/c, x.org/d, x.org/e, x.org/f and 3 more, which the quota of SwarmQueue batch does not name',
    ],
    [
      jobOf('a', 1, fits, { tooLarge: 'its pods name 40 resources; allowed are 32' }),
      'TooLargeEver: its pods name 40 resources; allowed are 32',
    ],
    [
      jobOf('a', 5, { cpu: 2, memory: 1 }),
      'TooLargeEver: needs 5 pods and 10 cpu, the whole quota of SwarmQueue batch is 4 pods and 8 cpu',
    ],
  ])('a job that can never start says why, and does not hold up the next: %#', (job, message) => {
    const admission = admit(worldOf([queue], [job, jobOf('b', 4, { cpu: 2, memory: 1 })]));
    expect(why(admission, 'a')).toBe(message);
    expect(names(admission)).toBe('b');
  });

  it('a job that exceeds a whole ResourceQuota of its namespace can never start', () => {
    const resourceQuotas = [
      {
        name: 'compute',
        hard: amounts({ 'requests.cpu': 4 }),
        used: amounts({}),
        promised: amounts({}),
      },
    ];
    const charges = new Map([['compute', amounts({ 'requests.cpu': 5 })]]);
    const world = worldOf([queueOf({})], [jobOf('a', 5, { cpu: 1 }, { charges })], {
      resourceQuotas,
    });
    expect(why(admit(world), 'a')).toBe(
      'TooLargeEver: needs 5 requests.cpu, all of ResourceQuota compute is 4 requests.cpu',
    );
  });
});

describe('a job that does not start yet', () => {
  it('a job waits while its queue is paused, or while it backs off, and does not hold up others', () => {
    const queues = [queueOf({ pods: 1 }), queueOf({ pods: 1 }, { name: 'night', isPaused: true })];
    const jobs = [
      jobOf('a', 1, {}, { backsOffForMs: 1_500 }),
      jobOf('b', 1),
      jobOf('c', 1, {}, { queue: 'night' }),
    ];
    const admission = admit(worldOf(queues, jobs));
    expect(names(admission)).toBe('b');
    expect(why(admission, 'a')).toBe('BackingOff: its last attempt has ended; the next is in 2 s');
    expect(why(admission, 'c')).toBe('QueuePaused: SwarmQueue night is paused');
  });

  it('a job waits until a ResourceQuota has room for all of its pods, across queues', () => {
    const resourceQuotas = [
      {
        name: 'compute',
        hard: amounts({ pods: 10 }),
        used: amounts({ pods: 4 }),
        promised: amounts({ pods: 2 }),
      },
    ];
    const charged = (name: string, size: number, queue: string) =>
      jobOf(name, size, {}, { queue, charges: new Map([['compute', amounts({ pods: size })]]) });
    const queues = [queueOf({}), queueOf({}, { name: 'night' })];
    const jobs = [charged('a', 5, 'batch'), charged('b', 2, 'night')];
    const admission = admit(worldOf(queues, jobs, { resourceQuotas }));
    expect(names(admission)).toBe('');
    expect(why(admission, 'a')).toBe(
      'ResourceQuotaLacks: ResourceQuota compute: needs 5 pods, 4 are free',
    );
    expect(why(admission, 'b')).toMatch(/^BehindHead: .*job a/);
  });

  it('a job waits while the ledger is full', () => {
    const jobs = [jobOf('a', 1), jobOf('b', 1)];
    const admission = admit(worldOf([queueOf({})], jobs, { ledgerBytes: 150 }));
    expect(names(admission)).toBe('a');
    expect(why(admission, 'b')).toMatch(/^LedgerFull/);
  });
});

describe('what is in use', () => {
  it('what is in use is the larger of requested and granted amounts, for each resource', () => {
    const of = (requests: Readonly<Record<string, number>>) => ({
      uid: 'r',
      name: 'r',
      queue: 'batch',
      requests: amounts(requests),
    });
    const world = worldOf([queueOf({ pods: 10, cpu: 10 })], [jobOf('a', 4, { cpu: 1 })], {
      admitted: [of({ pods: 4, cpu: 4 })],
      living: [of({ pods: 2, cpu: 8 })],
    });
    expect(why(admit(world), 'a')).toBe('WaitingForQuota: needs 4 cpu, 2 are free');
  });

  it('nothing is free while more is in use than a quota that was lowered', () => {
    const running = { uid: 'r', name: 'r', queue: 'batch', requests: amounts({ pods: 9 }) };
    const world = worldOf([queueOf({ pods: 4 })], [jobOf('a', 1)], { admitted: [running] });
    expect(why(admit(world), 'a')).toBe('WaitingForQuota: needs 1 pod, 0 are free');
  });
});

/** Small queues of two resources, so that everything can be tried. */
const small = fc
  .record({
    cpu: fc.integer({ min: 1, max: 8 }),
    gpu: fc.integer({ min: 1, max: 4 }),
    strategy: fc.constantFrom('BestEffort' as const, 'StrictFIFO' as const),
    busy: fc.record({ cpu: fc.nat(6), gpu: fc.nat(3) }),
    jobs: fc.array(
      fc.record({
        size: fc.integer({ min: 1, max: 3 }),
        cpu: fc.nat(3),
        gpu: fc.nat(2),
        priority: fc.nat(2),
        age: fc.nat(4),
      }),
      { maxLength: 7 },
    ),
  })
  .map(({ cpu, gpu, strategy, busy, jobs }) =>
    worldOf(
      [queueOf({ cpu, gpu }, { strategy })],
      jobs.map(({ size, cpu: ownCpu, gpu: ownGpu, priority, age }, at) =>
        jobOf(`j${at}`, size, { cpu: ownCpu, gpu: ownGpu }, { priority, createdMs: age }),
      ),
      { living: [{ uid: 'r', name: 'r', queue: 'batch', requests: amounts(busy) }] },
    ),
  );

type Vector = readonly [bigint, bigint];
const vector = (of: Amounts): Vector => [of.get('cpu') ?? 0n, of.get('gpu') ?? 0n];
const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1]];
const within = (a: Vector, b: Vector): boolean => a[0] <= b[0] && a[1] <= b[1];
const needOf = ({ perPod, size }: WaitingJob): Vector => {
  const [cpu, gpu] = vector(perPod);
  return [cpu * BigInt(size), gpu * BigInt(size)];
};

/** In the order in which a user expects them. */
const sorted = (jobs: readonly WaitingJob[]): readonly WaitingJob[] =>
  jobs.toSorted(
    (a, b) => b.priority - a.priority || a.createdMs - b.createdMs || a.uid.localeCompare(b.uid),
  );

const quotaOf = (world: NamespaceWorld): Vector => vector(world.queues[0]?.quota ?? new Map());
const busyIn = (world: NamespaceWorld): Vector => vector(world.living[0]?.requests ?? new Map());

/** Of all sets of jobs that break no rule, the one that admits the first jobs first. */
function bestOf(world: NamespaceWorld): readonly string[] {
  const quota = quotaOf(world);
  const jobs = sorted(world.waiting).filter((job) => within(needOf(job), quota));
  const all = Array.from({ length: 2 ** jobs.length }, (_, bits) =>
    jobs.filter((_, at) => (bits >> (jobs.length - 1 - at)) & 1),
  ).filter((set) => isAllowed(world, jobs, set));
  return (all.at(-1) ?? []).map(({ name }) => name);
}

/** Nothing exceeds the quota, and no job uses what one before it, which waits, needs. */
function isAllowed(
  world: NamespaceWorld,
  jobs: readonly WaitingJob[],
  set: readonly WaitingJob[],
): boolean {
  const quota = quotaOf(world);
  const isStrict = world.queues[0]?.strategy === 'StrictFIFO';
  let used = busyIn(world);
  let kept: Vector = [0n, 0n];
  let waits = 0;
  for (const job of jobs) {
    const need = needOf(job);
    if (!set.includes(job)) {
      if (waits === 0 || isStrict) kept = plus(kept, need);
      waits += 1;
      continue;
    }
    used = plus(used, need);
    const isOver = (at: 0 | 1): boolean => need[at] > 0n && used[at] + kept[at] > quota[at];
    if (isOver(0) || isOver(1)) return false;
  }
  return true;
}

describe('small queues', () => {
  it('admission of small queues equals the best of all allowed sets', () => {
    fc.assert(
      fc.property(small, (world) => {
        expect(admit(world).admitted.map(({ name }) => name)).toEqual(bestOf(world));
      }),
      { numRuns: 400 },
    );
  });

  it('the first job that waits for quota is admitted once exactly the named amount is free', () => {
    fc.assert(
      fc.property(small, (world) => {
        const admission = admit(world);
        const first = sorted(world.waiting).find(
          ({ uid }) => admission.waiting.get(uid)?.reason === 'WaitingForQuota',
        );
        if (first === undefined) return;
        const more = new Map(world.queues[0]?.quota);
        for (const [, need = '', resource = '', free = ''] of why(admission, first.uid).matchAll(
          /needs (\d+) (\w+), (\d+) (?:is|are) free/g,
        )) {
          const used = { cpu: busyIn(world)[0], gpu: busyIn(world)[1] }[resource] ?? 0n;
          const quota = more.get(resource) ?? 0n;
          const lowered = used > quota ? used - quota : 0n;
          more.set(resource, quota + lowered + (BigInt(need) - BigInt(free)) * ONE);
        }
        const queues = world.queues.map((queue) => ({ ...queue, quota: more }));
        // With a larger quota they might come first.
        const waiting = world.waiting.filter(
          ({ uid }) => admission.waiting.get(uid)?.reason !== 'TooLargeEver',
        );
        expect(names(admit({ ...world, queues, waiting })).split(' ')).toContain(first.name);
      }),
      { numRuns: 400 },
    );
  });

  it('overtaking never delays the first job that waits', () => {
    fc.assert(
      fc.property(small, (world) => {
        const admission = admit(world);
        const jobs = sorted(world.waiting);
        const head = jobs.find(({ uid }) =>
          ['WaitingForQuota', 'BehindHead'].includes(admission.waiting.get(uid)?.reason ?? ''),
        );
        if (head === undefined) return;
        const ahead = jobs.slice(0, jobs.indexOf(head) + 1);
        expect(names(admit({ ...world, waiting: ahead })).split(' ')).not.toContain(head.name);
        const used = admission.admitted.reduce((sum, it) => plus(sum, needOf(it)), busyIn(world));
        const before = admission.admitted
          .filter((it) => ahead.includes(it))
          .reduce((sum, it) => plus(sum, needOf(it)), busyIn(world));
        for (const at of [0, 1] as const) {
          const couldHave = before[at] + needOf(head)[at] <= quotaOf(world)[at];
          if (couldHave) expect(used[at] + needOf(head)[at] <= quotaOf(world)[at]).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});
