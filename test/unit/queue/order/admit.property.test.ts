// Is each small queue admitted as well as by trying everything, and is each reason true?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Amounts } from '../../../../src/core/amounts.ts';
import { ONE } from '../../../../src/core/quantity.ts';
import { type AdmissionPass, admit } from '../../../../src/queue/admit.ts';
import { whyText } from '../../../../src/queue/why.ts';
import type { NamespaceWorld, WaitingJob } from '../../../../src/queue/world.ts';
import { amounts, jobOf, queueOf, worldOf } from '../../../support/namespace-worlds.ts';

const names = ({ admitted }: AdmissionPass): string => admitted.map(({ name }) => name).join(' ');
const why = ({ waiting }: AdmissionPass, name: string): string => {
  const waits = waiting.get(name);
  return waits === undefined ? 'admitted' : `${waits.reason}: ${whyText(waits)}`;
};

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

/**
 * Nothing exceeds the quota; with StrictFIFO no job passes one that waits, with BestEffort none
 * uses what the first two that wait need.
 */
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
      if (waits < 2) kept = plus(kept, need);
      waits += 1;
      continue;
    }
    if (isStrict && waits > 0) return false;
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
