// A queue that is played to its end, pass by pass: when does each job start?

import { ONE } from '../../src/core/quantity.ts';
import { admit, boundOfQueue, boundOfResourceQuota } from '../../src/queue/admit.ts';
import { estimateStarts } from '../../src/queue/order/estimate.ts';
import { demandFor } from '../../src/queue/order/room.ts';
import type { Holding, Until } from '../../src/queue/order/when-free.ts';
import type { NamespaceWorld, Queue, WaitingJob } from '../../src/queue/world.ts';
import { amounts, worldOf } from './namespace-worlds.ts';

/** A job that runs since the beginning. */
export type InUse = {
  readonly name: string;
  readonly queue: string;
  readonly requests: Readonly<Record<string, number>>;
  readonly deadlineSeconds: number | undefined;
};

export type Scene = {
  readonly queues: readonly Queue[];
  readonly inUse: readonly InUse[];
  readonly waiting: readonly WaitingJob[];
  /** Of the cpu, or else the pods, of all; `used`: by what is no job. */
  readonly resourceQuota?: { readonly name: string; readonly hard: number; readonly used: number };
};

const boundIn = ({ waiting }: Scene): string =>
  waiting.some(({ charges }) => charges.get('all')?.has('pods')) ? 'pods' : 'cpu';

/** What an operator sees at the beginning. */
export function inUseWorld(scene: Scene): {
  readonly facts: NamespaceWorld;
  readonly holdings: readonly Holding[];
} {
  return {
    facts: factsOf(scene, scene.inUse, scene.waiting),
    holdings: scene.inUse.map(({ name, queue, requests, deadlineSeconds }) => ({
      holds: [
        ...Object.entries(requests).map(([resource, amount]) =>
          demandFor(boundOfQueue(queue), resource, BigInt(amount) * ONE),
        ),
        ...(scene.resourceQuota === undefined
          ? []
          : [demandFor(boundOfResourceQuota('all'), 'cpu', BigInt(requests['cpu'] ?? 0) * ONE)]),
      ],
      until:
        deadlineSeconds === undefined
          ? { unknown: `job ${name} has no deadline` }
          : { ms: deadlineSeconds * 1000 },
    })),
  };
}

function factsOf(
  scene: Scene,
  inUse: readonly InUse[],
  waiting: readonly WaitingJob[],
): NamespaceWorld {
  const { queues, resourceQuota } = scene;
  const bound = boundIn(scene);
  const used = inUse.reduce((sum, { requests }) => sum + (requests[bound] ?? 0), 0);
  return worldOf(queues, waiting, {
    admitted: inUse.map(({ name, queue, requests }) => ({
      ...{ uid: name, name, queue, requests: amounts(requests) },
    })),
    resourceQuotas:
      resourceQuota === undefined
        ? []
        : [
            {
              name: resourceQuota.name,
              hard: amounts({ [bound]: resourceQuota.hard }),
              used: amounts({ [bound]: resourceQuota.used + used }),
              promised: amounts({}),
            },
          ],
  });
}

/**
 * By UID, in ms. `partOf`: which part of its deadline each job lasts; those without one last for
 * ever. Jobs that run already come before those that wait.
 */
export function playOf(scene: Scene, partOf: (at: number) => number): ReadonlyMap<string, number> {
  const lasts = (at: number, seconds: number | undefined): number =>
    seconds === undefined ? Infinity : Math.round(seconds * 1000 * partOf(at));
  let running = scene.inUse.map((job, at) => ({ job, endMs: lasts(at, job.deadlineSeconds) }));
  let waiting = scene.waiting;
  const starts = new Map<string, number>();
  let now = 0;
  for (;;) {
    const pauses = waiting.map((job) => ({ ...job, backsOffForMs: job.backsOffForMs - now }));
    const { admitted } = admit(
      factsOf(
        scene,
        running.map(({ job }) => job),
        pauses,
      ),
    );
    for (const { uid, name, queue, perPod, deadlineSeconds } of admitted) {
      starts.set(uid, now);
      const at = scene.inUse.length + scene.waiting.findIndex((job) => job.uid === uid);
      const requests = Object.fromEntries(
        [...perPod].map(([resource, amount]) => [resource, Number(amount / ONE)]),
      );
      const job = { name, queue, requests, deadlineSeconds };
      running.push({ job, endMs: now + lasts(at, deadlineSeconds) });
    }
    waiting = waiting.filter(({ uid }) => !starts.has(uid));
    const times = [
      ...running.map(({ endMs }) => endMs),
      ...waiting.map(({ backsOffForMs }) => backsOffForMs),
    ];
    const next = Math.min(...times.filter((ms) => ms > now), Infinity);
    if (running.some(({ endMs }) => endMs <= now)) {
      running = running.filter(({ endMs }) => endMs > now);
      continue;
    }
    if (next === Infinity) return starts;
    now = next;
    running = running.filter(({ endMs }) => endMs > now);
  }
}

/** The estimates of all queues, and the pass that they belong to. */
export function estimatesOf(scene: Scene) {
  const { facts, holdings } = inUseWorld(scene);
  const pass = admit(facts);
  const of = ({ name }: Queue) => [...estimateStarts(name, facts, pass, holdings)];
  return { pass, starts: new Map<string, Until>(scene.queues.flatMap(of)) };
}

/** The jobs that start later than estimated when each lasts for this part of its deadline. */
export function lateIn(scene: Scene, partOf: (at: number) => number): readonly string[] {
  const played = playOf(scene, partOf);
  return [...estimatesOf(scene).starts].flatMap(([uid, until]) =>
    'ms' in until && (played.get(uid) ?? Infinity) > until.ms ? [uid] : [],
  );
}
