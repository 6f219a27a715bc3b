// Which jobs are admitted, and is the reason of each other one true?
import { describe, expect, it } from '@jest/globals';
import { type AdmissionPass, admit } from '../../../../src/queue/admit.ts';
import { whyText } from '../../../../src/queue/why.ts';
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
