// A queue that is played to its end, pass by pass: when does each job start?

import { ONE } from '../../src/core/quantity.ts';
import { admit, type InUse as Held } from '../../src/queue/admit.ts';
import { boundOfQueue, boundOfResourceQuota } from '../../src/queue/order/bounds.ts';
import { estimateStarts } from '../../src/queue/order/estimate.ts';
import { demandFor } from '../../src/queue/order/free-quota.ts';
import type { Until } from '../../src/queue/order/when-free.ts';
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
  /** How long an admitted job takes until its deadline begins. */
  readonly startsInMs?: number;
};

const boundIn = ({ waiting }: Scene): string =>
  waiting.some(({ charges }) => charges.get('all')?.has('pods')) ? 'pods' : 'cpu';

/** What an operator sees at the beginning. */
export const inUseWorld = (scene: Scene): Seen => seenAt(scene, runningIn(scene), scene.waiting);

type Seen = { readonly facts: NamespaceWorld; readonly holdings: readonly Held[] };

/** `lastsMs`: at most. */
type Running = { readonly job: InUse; readonly lastsMs: number | undefined };

const runningIn = ({ inUse }: Scene): readonly Running[] =>
  inUse.map((job) => ({
    job,
    lastsMs: job.deadlineSeconds === undefined ? undefined : job.deadlineSeconds * 1000,
  }));

const seenAt = (
  scene: Scene,
  running: readonly Running[],
  waiting: readonly WaitingJob[],
): Seen => ({
  facts: factsOf(
    scene,
    running.map(({ job }) => job),
    waiting,
  ),
  holdings: running.map(({ job: { name, queue, requests }, lastsMs }) => ({
    uid: name,
    holds: [
      ...Object.entries(requests).map(([resource, amount]) =>
        demandFor(boundOfQueue(queue), resource, BigInt(amount) * ONE),
      ),
      ...(scene.resourceQuota === undefined
        ? []
        : [demandFor(boundOfResourceQuota('all'), 'cpu', BigInt(requests['cpu'] ?? 0) * ONE)]),
    ],
    until: lastsMs === undefined ? { unknown: `job ${name} has no deadline` } : { ms: lastsMs },
  })),
});

function factsOf(
  scene: Scene,
  inUse: readonly InUse[],
  waiting: readonly WaitingJob[],
): NamespaceWorld {
  const { queues, resourceQuota, startsInMs = 0 } = scene;
  const bound = boundIn(scene);
  const used = inUse.reduce((sum, { requests }) => sum + (requests[bound] ?? 0), 0);
  return worldOf(queues, waiting, {
    startsInMs,
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
              ofOthers: amounts({ [bound]: resourceQuota.used }),
            },
          ],
  });
}

/**
 * By UID, in ms. `partOf`: which part of its deadline each job lasts; those without one last for
 * ever. Jobs that run already come before those that wait.
 */
export function playOf(scene: Scene, partOf: (at: number) => number): ReadonlyMap<string, number> {
  type Played = { readonly job: InUse; readonly mostMs: number; readonly endMs: number };
  const played = (job: InUse, at: number, mostMs: number | undefined, now: number): Played => {
    if (mostMs === undefined) return { job, mostMs: Infinity, endMs: Infinity };
    return { job, mostMs: now + mostMs, endMs: now + Math.round(mostMs * partOf(at)) };
  };
  let running = runningIn(scene).map(({ job, lastsMs }, at) => played(job, at, lastsMs, 0));
  let waiting = scene.waiting;
  const starts = new Map<string, number>();
  let now = 0;
  for (;;) {
    const pauses = waiting.map((job) => ({ ...job, backsOffForMs: job.backsOffForMs - now }));
    const known = running.map(({ job, mostMs }) => ({
      job,
      lastsMs: mostMs === Infinity ? undefined : mostMs - now,
    }));
    const { facts, holdings } = seenAt(scene, known, pauses);
    for (const { uid, name, queue, perPod, deadlineSeconds, endsInMs } of admit(
      facts,
      () => holdings,
    ).admitted) {
      starts.set(uid, now);
      const at = scene.inUse.length + scene.waiting.findIndex((job) => job.uid === uid);
      const requests = Object.fromEntries(
        [...perPod].map(([resource, amount]) => [resource, Number(amount / ONE)]),
      );
      const job = { name, queue, requests, deadlineSeconds };
      const mostMs =
        deadlineSeconds === undefined
          ? undefined
          : (scene.startsInMs ?? 0) + deadlineSeconds * 1000 + endsInMs;
      running.push(played(job, at, mostMs, now));
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
  const pass = admit(facts, () => holdings);
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
