// Which jobs are admitted, and is the reason of each other one true?
import { describe, expect, it } from '@jest/globals';
import { type AdmissionPass, admit } from '../../../../src/queue/admit.ts';
import { whyText } from '../../../../src/queue/why.ts';
import type { Queue, WaitingJob } from '../../../../src/queue/world.ts';
import { amounts, jobOf, queueOf, worldOf } from '../../../support/namespace-worlds.ts';

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

  it('a job overtakes the first one if it uses no resource that the first waits for', () => {
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

  it('a job overtakes the third waiting job with BestEffort, and not with StrictFIFO', () => {
    const jobs = [
      jobOf('a', 1, { cpu: 3, 'x.org/a': 0, 'x.org/b': 0 }),
      jobOf('b', 1, { cpu: 0, 'x.org/a': 2, 'x.org/b': 0 }),
      jobOf('c', 1, { cpu: 0, 'x.org/a': 0, 'x.org/b': 2 }),
      jobOf('d', 1, { cpu: 0, 'x.org/a': 1, 'x.org/b': 0 }),
      jobOf('e', 1, { cpu: 0, 'x.org/a': 0, 'x.org/b': 1 }),
    ];
    const quota = { cpu: 3, 'x.org/a': 2, 'x.org/b': 2 };
    const requests = amounts({ cpu: 1, 'x.org/a': 1, 'x.org/b': 1 });
    const living = [{ uid: 'r', name: 'r', queue: 'batch', requests }];
    const ways = (['BestEffort', 'StrictFIFO'] as const).map((strategy) =>
      names(admit(worldOf([queueOf(quota, { strategy })], jobs, { living }))),
    );
    expect(ways).toEqual(['e', '']);
  });

  it('small jobs do not pass a large one that waits behind the first', () => {
    const small = Array.from({ length: 12 }, (_, at) => jobOf(`s${at}`, 1, { gpu: 0 }));
    const jobs = [jobOf('a', 1, { gpu: 1 }), jobOf('b', 7, { gpu: 0 }), ...small];
    const requests = amounts({ pods: 2, gpu: 1 });
    const living = [{ uid: 'r', name: 'r', queue: 'batch', requests }];
    expect(names(admit(worldOf([queueOf({ pods: 8, gpu: 1 })], jobs, { living })))).toBe('');
  });
});

describe('StrictFIFO', () => {
  const quota = { pods: 4, 'x.org/gpu': 1 };
  const strict = queueOf(quota, { strategy: 'StrictFIFO' });
  const running = { uid: 'r', name: 'r', queue: 'batch', requests: amounts({ 'x.org/gpu': 1 }) };
  const gpu = (name: string, over: Partial<WaitingJob> = {}) =>
    jobOf(name, 1, { 'x.org/gpu': 1 }, over);

  it('a job that needs no resource that the first waits for does not pass it', () => {
    const world = worldOf([strict], [gpu('a'), jobOf('b', 1), jobOf('c', 1)], {
      admitted: [running],
    });
    const admission = admit(world);
    expect(names(admission)).toBe('');
    for (const name of ['b', 'c'])
      expect(why(admission, name)).toBe(
        'BehindHead: job a goes first, and with StrictFIFO none passes it',
      );
  });

  it('a job does not pass a job that backs off until its pause is over', () => {
    const jobs = (backsOffForMs: number) => [gpu('a', { backsOffForMs }), jobOf('b', 1)];
    expect(names(admit(worldOf([strict], jobs(1_000))))).toBe('');
    expect(names(admit(worldOf([strict], jobs(0))))).toBe('a b');
    const loose = queueOf(quota);
    expect(names(admit(worldOf([loose], jobs(1_000))))).toBe('b');
  });

  it('a job does not pass a job whose attempt is being ended', () => {
    const world = (queue: Queue, over: Partial<WaitingJob> = {}) =>
      worldOf([queue], [jobOf('b', 1)], { returning: [gpu('a', over)] });
    expect(names(admit(world(strict)))).toBe('');
    expect(why(admit(world(strict)), 'b')).toMatch('BehindHead: job a goes first');
    expect(names(admit(world(strict, { createdMs: 999 })))).toBe('b');
    expect(names(admit(world(queueOf(quota))))).toBe('b');
    expect(names(admit(world(strict, { size: 9 })))).toBe('b');
  });

  it('a job passes a job that can never start, and a job of another queue', () => {
    const jobs = [
      jobOf('a', 9),
      gpu('b', { queue: 'other' }),
      jobOf('c', 1, {}, { timesNeverBegun: 5, backsOffForMs: 1 }),
      jobOf('d', 1),
    ];
    const other = queueOf({ pods: 4 }, { name: 'other', strategy: 'StrictFIFO' });
    expect(names(admit(worldOf([strict, other], jobs)))).toBe('d');
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
  ])(
    'a job that can never start has a reason, and does not hold up the next job: %#',
    (job, message) => {
      const admission = admit(worldOf([queue], [job, jobOf('b', 4, { cpu: 2, memory: 1 })]));
      expect(why(admission, 'a')).toBe(message);
      expect(names(admission)).toBe('b');
    },
  );

  it('a job that exceeds a whole ResourceQuota of its namespace can never start', () => {
    const resourceQuotas = [
      {
        name: 'compute',
        hard: amounts({ 'requests.cpu': 4 }),
        used: amounts({}),
        promised: amounts({}),
        ofOthers: amounts({}),
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

describe('room that jobs do not hold', () => {
  /** A ResourceQuota of four pods: so many are those of a Deployment, and of a job. */
  const shared = (others: number, jobs: number) => ({
    name: 'compute',
    hard: amounts({ pods: 4 }),
    used: amounts({ pods: others + jobs }),
    promised: amounts({}),
    ofOthers: amounts({ pods: others }),
  });
  const queues = [queueOf({}), queueOf({}, { name: 'other' })];
  const inCompute = (name: string, size: number, queue: string) =>
    jobOf(name, size, {}, { queue, charges: new Map([['compute', amounts({ pods: size })]]) });
  const jobs = [inCompute('a', 3, 'batch'), inCompute('b', 1, 'other'), inCompute('c', 1, 'batch')];

  it('a job that waits for quota that a Deployment uses keeps no room', () => {
    const admission = admit(worldOf(queues, jobs, { resourceQuotas: [shared(2, 0)] }));
    expect(names(admission)).toBe('b c');
    expect(why(admission, 'a')).toBe(
      'ResourceQuotaLacks: ResourceQuota compute: needs 3 pods, 2 are free',
    );
  });

  it('a job that waits for quota that other jobs use keeps the free room', () => {
    const admission = admit(worldOf(queues, jobs, { resourceQuotas: [shared(1, 1)] }));
    expect(names(admission)).toBe('');
    expect(why(admission, 'b')).toMatch(/^BehindHead/);
  });

  it('a job that is admitted now gives its room back, too', () => {
    const first = inCompute('A', 2, 'other');
    const admission = admit(worldOf(queues, [first, ...jobs], { resourceQuotas: [shared(0, 0)] }));
    expect(names(admission)).toBe('A');
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
        ofOthers: amounts({ pods: 4 }),
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

describe('usage', () => {
  it('the usage of each resource is the larger of its requested and granted amounts', () => {
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
