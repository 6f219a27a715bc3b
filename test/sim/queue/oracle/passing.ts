// Who was passed by a job that goes behind it? Priority, then age. With StrictFIFO no job passes
// the first that waits or backs off. With BestEffort one may pass the first that waits, as long as
// it takes nothing that this one lacks, or has a deadline before others may end. What a
// ResourceQuota lacks for the first of a queue, and jobs hold, no job of any queue takes that goes
// behind it. One whose user would have more than the queue allows one user is passed by any.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { added, amountsIn } from './amounts.ts';
import { boundsIn, lackedOf, requestsOf } from './bounds.ts';
import { deadlineOf, grantedIn, queueOf } from './demands.ts';
import { isHeldBy, isStrict, queuedIn, startingIn, type Waiting, whyNever } from './order.ts';
import { type Entry, type LivePod, livingPods, usageIn } from './scene.ts';
import type { Users } from './users.ts';

export type Passed = { readonly first: Waiting; readonly by: string };

/** What the operator knows, as it has been so for a while. */
export type Known = {
  readonly wallMs: number;
  readonly users: Users;
  /** This job waits, or backs off. */
  readonly queues: (uid: string) => boolean;
  /** This job waits. */
  readonly waits: (uid: string) => boolean;
  /** This pod lives. */
  readonly lives: (pod: LivePod) => boolean;
};

export type Ledgers = {
  readonly before: readonly Entry[];
  readonly after: readonly Entry[];
  /** New beside `before`. */
  readonly admitted: readonly Entry[];
};

export function passedIn(
  server: ApiServer,
  { before, after, admitted }: Ledgers,
  { wallMs, users, queues, waits, lives }: Known,
): readonly Passed[] {
  const all = queuedIn(server, before, { wallMs, users });
  const isAdmitted = ({ job }: Waiting): boolean =>
    admitted.some(({ uid }) => uid === job.metadata.uid);
  const hasRoomMade = ({ job }: Waiting): boolean =>
    before.some((it) => it.preemptedBy === job.metadata.uid);
  const starting = startingIn(server, [...before, ...admitted]);
  const pods = livingPods(server);
  const usage = usageIn(before, pods);
  const bounds = boundsIn(server);
  const living = requestsOf(pods.filter(lives));
  const isOwn = ({ jobUid }: LivePod): boolean => before.some(({ uid }) => uid === jobUid);
  const ofOthers = requestsOf(pods.filter((pod) => !isOwn(pod)));
  const granted = { entries: grantedIn(server, before), pods };
  const userOf = ({ job }: Waiting): string => users.of(job.metadata.uid ?? '', granted.entries);
  /** Also beside those that are admitted now and go before it. */
  const isCapped = (it: Waiting): boolean => {
    const ahead = all
      .slice(0, all.indexOf(it))
      .filter((other) => isAdmitted(other) && other.queue === it.queue)
      .filter((other) => userOf(other) === userOf(it));
    return users.beyond(it, granted, added(ahead.map(({ needs }) => needs))).length > 0;
  };
  return server.all({ kind: kinds.SwarmQueue, namespace: NAMESPACE }).flatMap((queue) => {
    const { name } = queue.metadata;
    const isKnown = ({ backsOff, job: { metadata } }: Waiting): boolean =>
      backsOff ? isStrict(queue) && queues(metadata.uid ?? '') : waits(metadata.uid ?? '');
    const isFirst = (it: Waiting): boolean =>
      it.queue === name &&
      !isAdmitted(it) &&
      isKnown(it) &&
      whyNever(it, queue) === undefined &&
      !isCapped(it);
    const at = all.findIndex(isFirst);
    const first = all[at];
    if (first === undefined) return [];
    const behind = all.slice(at).filter((it) => isAdmitted(it) && !hasRoomMade(it));
    const ofQueue = behind.filter((it) => it.queue === name);
    const passedBy = (some: readonly Waiting[]): readonly Passed[] =>
      some.map((it) => ({ first, by: it.name }));
    if (isStrict(queue) && ofQueue.length > 0) return passedBy(ofQueue);
    if (
      first.backsOff ||
      isHeldBy(starting, first.job) ||
      lackedOf(bounds, first.needs, ofOthers).length > 0
    )
      return [];
    const ahead = all.slice(0, at).filter(isAdmitted);
    const isAhead = ({ uid }: Entry): boolean => ahead.some(({ job }) => job.metadata.uid === uid);
    const running = [...before, ...admitted.filter(isAhead)];
    const mayEndBefore = ({ job }: Waiting): boolean => {
      const seconds = deadlineOf(job, queueNamed(server, queueOf(job)));
      return seconds !== undefined && seconds < longestLeft(server, running, wallMs);
    };
    const used = added([
      usage[name] ?? {},
      ...ahead.filter((it) => it.queue === name).map(({ needs }) => needs),
    ]);
    const quota = amountsIn(dig(queue, 'spec', 'quota'));
    const taken = added([living, ...ahead.map(({ needs }) => needs)]);
    const refused = lackedOf(bounds, first.needs, taken);
    const lacks = [...lackedOf([quota], first.needs, used), ...refused];
    // What jobs leave that end for the first is enough, beside what these take.
    const ending = [...before, ...after].filter((it) => it.preemptedBy === first.job.metadata.uid);
    const isEnding = (uid: string): boolean => ending.some((it) => it.uid === uid);
    const left = pods.filter(({ jobUid }) => !isEnding(jobUid));
    const isAmong = ({ uid }: Entry, some: readonly Entry[]): boolean =>
      some.some((it) => it.uid === uid);
    const usedThen = usageIn(
      after.filter((it) => isAmong(it, before) && !isEnding(it.uid)),
      left,
    );
    const needsThen = added([first, ...ahead, ...behind].map(({ needs }) => needs));
    const needsOfQueue = added(
      [first, ...ahead, ...behind].filter((it) => it.queue === name).map(({ needs }) => needs),
    );
    if (
      ending.length > 0 &&
      lackedOf([quota], needsOfQueue, usedThen[name] ?? {}).length === 0 &&
      lackedOf(bounds, needsThen, requestsOf(left)).length === 0
    )
      return [];
    const takes = ({ needs }: Waiting, some: readonly string[]): boolean =>
      some.some((it) => it in needs);
    return passedBy(
      behind.filter(
        (it) =>
          !mayEndBefore(it) &&
          (it.queue === name ? lacks.length === 0 || takes(it, lacks) : takes(it, refused)),
      ),
    );
  });
}

/** In seconds: until the last of these jobs has to end. One without a deadline holds up nothing. */
function longestLeft(server: ApiServer, entries: readonly Entry[], wallMs: number): number {
  const left = entries.flatMap(({ uid, queue, time }) => {
    const job = [kinds.SwarmJob, kinds.Job]
      .flatMap((kind) => server.all({ kind, namespace: NAMESPACE }))
      .find(({ metadata }) => metadata.uid === uid);
    const seconds = job && deadlineOf(job, queueNamed(server, queue));
    return seconds === undefined
      ? []
      : [seconds + USUAL_END + (Date.parse(time ?? '') - wallMs) / 1000];
  });
  return Math.max(0, ...left);
}

/** Start, grace period and what the operator takes to know it. */
const USUAL_END = 70;

const queueNamed = (server: ApiServer, name: string | undefined): KubeObject | undefined =>
  server
    .all({ kind: kinds.SwarmQueue, namespace: NAMESPACE })
    .find(({ metadata }) => metadata.name === name);
