// What is to be done about a pool? preconditions -> desired state -> publish -> refresh and
// scale -> status: one sentence, nothing performed.
import { ASSIGNED_ANNOTATION, HIGHEST_VERSION, readAssigned } from '../api/assignment.ts';
import { apiVersionOf, kinds } from '../api/kinds.ts';
import type { SwarmPoolStatus } from '../api/validate.ts';
import type { EventText, Step } from '../core/decision.ts';
import { isSameJson } from '../core/json.ts';
import { listed, plural } from '../core/meta.ts';
import { runToEnd, type Work } from '../core/work.ts';
import type { WorkerProbe } from '../core/worker-probe.ts';
import type { PoolDecision } from './decision.ts';
import { asPublished, computeDesiredState } from './desired-state.ts';
import { removalMarks } from './orphan.ts';
import { type Blocked, checkPreconditions, type Validated } from './preconditions.ts';
import { brokenAnnotations } from './publish/annotations.ts';
import type { Move } from './publish/moves.ts';
import { MOST_BYTES, type Publication, shardsEnough, unreadable } from './publish/publish.ts';
import { type Published, type PublishedChange, shardsOf } from './publish/published.ts';
import { movedToSteps, publishStep } from './publish/write.ts';
import type { EventReason } from './reasons.ts';
import { hasConverged, isAtWork, isVerified, probesOf } from './refresh/convergence.ts';
import { outdatedAfter, refreshNow, refreshOfChange } from './refresh/refresh.ts';
import { scaleNow } from './scaling.ts';
import { SILENCE_MS } from './status/conditions.ts';
import { statusEvents } from './status/events.ts';
import { statusOf, statusWhenBlocked, unreportedChanges } from './status.ts';
import { type PoolView, sizeOf } from './view.ts';
import { JOIN_TOGETHER_MS } from './workers/members.ts';
import { neverReadyAfter, struckNow } from './workers/never-ready.ts';
import type { PoolWorld } from './world.ts';

/** A change that all confirm within this time is told in one status write instead of two. */
const SETTLE_MS = 2_000;
/** Between two versions, while workers have not confirmed the first of them. */
const JOIN_CHANGES_MS = 500;
/** So many changes within this time are a run of them, also when workers confirm each at once. */
const MOST_AT_ONCE = 3;
const RUN_OF_CHANGES_MS = 2_000;
/** Between two status writes that tell of nothing but progress. */
const PACE_MS = 2_000;
/** Who was asked has answered by then, or failed to. */
const UNHEARD_MS = 10_000;

export const decidePool = (world: PoolWorld, now: number): PoolDecision =>
  runToEnd(decideInPieces(world, now));

export function* decideInPieces(world: PoolWorld, now: number): Work<PoolDecision> {
  if (world.pool.meta.isDeleting) return { steps: [], probes: [] };
  const checked = checkPreconditions(world);
  const whenBlocked = (blocked: Blocked): readonly Step[] =>
    statusSteps(world, statusWhenBlocked(world, blocked, now));
  if (!checked.ok) return { steps: whenBlocked(checked.blocked), probes: [] };
  yield;
  const { view, publication } = yield* computeDesiredState(world, checked, now);
  yield;
  const isRecordWhole = (view.published.assignment?.version ?? 0) >= world.highestSeen;
  const probes = probesOf(view.members, view.slices, checked.spec.probe, {
    streams: checked.streams,
    isRecordWhole,
  });
  yield;
  if (view.plan !== undefined)
    return { steps: statusSteps(world, statusOf(world, view, now)), probes, version: view.version };
  if (view.unknown.length > 0) return { steps: whenBlocked(unknownWorkers(view)), probes };
  const { change } = publication;
  if (change !== undefined && change.version > HIGHEST_VERSION)
    return { steps: whenBlocked(uncountable(change.version - 1)), probes };
  const enough =
    change === undefined
      ? undefined
      : shardsEnough(publication, view.members, checked.spec.assignments.shards);
  if (enough !== undefined) return { steps: whenBlocked(tooLarge(checked.spec, enough)), probes };
  const excess =
    change === undefined
      ? undefined
      : unreadable(
          publication,
          world.published.shards,
          shardsOf(world.pool.meta.name, checked.spec),
        );
  if (excess !== undefined) return { steps: whenBlocked(tooMuchInAll(excess)), probes };
  yield;
  if (change === undefined) {
    const decision = whenPublished(world, view, statusOf(world, view, now));
    return {
      ...decision,
      probes: probesAfterNudge(world, view, probes, decision.steps),
      version: view.version,
    };
  }
  const untilPublished = (): SwarmPoolStatus => statusOf(world, asPublished(view, checked), now);
  const joinInMs = joinsNextChangeInMs(world, view, publication, now);
  if (joinInMs > 0) {
    const isOverdue = world.ages.statusLagMs >= SETTLE_MS;
    return {
      steps: isOverdue ? statusSteps(world, untilPublished()) : [],
      probes,
      version: view.version,
      requeueAfterMs: joinInMs,
    };
  }
  // Refused once, it may be refused again: what is known is told first.
  const told = world.refused === undefined ? [] : statusSteps(world, untilPublished());
  const steps = [...told, ...changeSteps(world, view, publication, change)];
  return { steps, probes: probesAfterNudge(world, view, probes, steps), version: change.version };
}

/**
 * Changes that come faster than workers confirm, or one after the other without end, are published
 * together: the first at once, then two versions a second. A stream that was let go waits for
 * nothing.
 */
function joinsNextChangeInMs(
  world: PoolWorld,
  { published, members }: PoolView,
  { assignment }: Publication,
  now: number,
): number {
  const { ages } = world;
  const previous = published.assignment?.workloads;
  if (previous === undefined || ages.publishedMs >= JOIN_CHANGES_MS) return 0;
  if (isVerified(members, previous) && changesWithin(world, published, now) < MOST_AT_ONCE)
    return 0;
  const isLetGo = [...previous].some(([worker, { releasing = [] }]) => {
    const still = new Set(assignment.workloads.get(worker)?.releasing);
    return releasing.some((stream) => !still.has(stream));
  });
  return isLetGo ? 0 : JOIN_CHANGES_MS - ages.publishedMs;
}

/**
 * Who is told for the first time by this very decision can have nothing new to say before: the
 * decision that follows has it asked. Not when the telling was refused before: then its file may
 * follow by itself, some time.
 */
function probesAfterNudge(
  { refused }: PoolWorld,
  { members }: PoolView,
  probes: readonly WorkerProbe[],
  steps: readonly Step[],
): readonly WorkerProbe[] {
  const told = new Set(
    steps.flatMap((step) =>
      step.do === 'annotate' && isFirstNudge(step.annotations) ? [step.pod.uid] : [],
    ),
  );
  if (told.size === 0 || refused !== undefined) return probes;
  const answering = new Set(
    members.flatMap(({ pod, answer }) =>
      pod?.isReady === true && answer?.ok === true ? [pod.uid] : [],
    ),
  );
  return probes.map((probe) =>
    told.has(probe.podUid) && answering.has(probe.podUid)
      ? { ...probe, isOutstanding: false }
      : probe,
  );
}

const isFirstNudge = (annotations: Readonly<Record<string, string | null>>): boolean =>
  readAssigned(annotations[ASSIGNED_ANNOTATION] ?? undefined)?.attempt === 1;

const unknownWorkers = ({ unknown }: PoolView): Blocked => ({
  reason: 'WorkersUnknown',
  message: `the assignment was lost, and ${listed(unknown)} did not say yet what is running there; until then nothing is given to anybody (handoff.type Exclusive)`,
  isStalled: false,
});

const tooLarge = ({ assignments }: Validated['spec'], enough: number): Blocked => ({
  reason: 'AssignmentTooLarge',
  message: `what ${plural(assignments.shards, 'ConfigMap')} would have to hold is more than ${MOST_BYTES / 1024} KiB each; spec.assignments.shards: ${enough} is enough`,
  isStalled: true,
});

/**
 * Only a user who may write status can cause this: such a version is not believed from any other
 * source.
 */
const uncountable = (version: number): Blocked => ({
  reason: 'VersionTooHigh',
  message: `status.version is ${version}, and the operator cannot publish a higher one; set it to the version in the ConfigMap (kubectl edit --subresource=status). What was published stays in force`,
  isStalled: true,
});

const tooMuchInAll = (excess: string): Blocked => ({
  reason: 'AssignmentTooLarge',
  message: `the assignment would have ${excess}; divide the streams between several pools. What was published stays in force`,
  isStalled: true,
});

/**
 * Publish, then nudge those whose slice changed. The status follows with the next decision, which
 * sees what was written.
 */
function changeSteps(
  world: PoolWorld,
  { spec, members, published }: PoolView,
  publication: Publication,
  change: PublishedChange,
): readonly Step[] {
  const { assignment, moves, writes } = publication;
  const { name, namespace } = world.pool.meta;
  const changed = new Set(
    [...assignment.workloads]
      .filter(([, slice]) => slice.version === change.version)
      .map(([worker]) => worker),
  );
  const untold = unreportedChanges(world.pool.status, published.changes);
  return [
    ...movedToSteps(name, shardsOf(name, spec), world.published.shards),
    ...writes.map((write) => {
      const here = members.filter((member) => write.assignment.workloads.has(member.name));
      return publishStep(
        { namespace, pool: name, goesWithPool: spec.assignments.whenDeleted === 'Delete' },
        write,
        change,
        {
          untold,
          outdated: outdatedAfter(spec, here, changed),
          neverReady: neverReadyAfter({
            members: here,
            known: published.neverReady,
            change,
            before: published.assignment?.workloads.size,
          }),
        },
      );
    }),
    eventStep(world, {
      type: 'Normal',
      reason: 'Published' satisfies EventReason,
      action: 'Publish',
      message: changeText(change, moves),
    }),
    ...refreshOfChange(spec, members, assignment.workloads, changed),
  ];
}

function changeText(
  { version, moves: moved, reason }: PublishedChange,
  moves: readonly Move[],
): string {
  const fresh = moves.filter(({ from }) => from === undefined).length;
  const gone = moves.filter(({ to }) => to === undefined).length;
  return `version ${version}: ${plural(moved, 'stream')} moved, ${fresh} new, ${gone} gone (${reason})`;
}

/**
 * The assignment stands in the ConfigMap: see to it that all take it up, and tell how far they are.
 */
function whenPublished(
  world: PoolWorld,
  view: PoolView,
  status: SwarmPoolStatus,
): Pick<PoolDecision, 'steps' | 'requeueAfterMs'> {
  const { spec } = view;
  const refresh = refreshNow(world, view);
  const scaling = scaleNow(world, view);
  const telling = tell(world, view, status);
  const struck = struckNow(view.members, view.published.neverReady, world.ages.publishedMs);
  const waits = [
    refresh.nextInMs,
    view.failover.nextInMs,
    scaling.nextInMs,
    joinInMs(world, view),
    telling.nextInMs,
    struck.nextInMs,
    nextToReach(spec.refresh.timeoutSeconds * 1000, world, view),
    nextToReach(SILENCE_MS, world, view),
  ].filter((wait) => wait !== undefined);
  return {
    // Status first: whatever of the rest is refused does not keep it from being told.
    steps: [
      ...telling.steps,
      ...removalMarks(world.pool.meta.name, spec, world.published.shards, struck.names),
      ...ignored(world).map((event) => eventStep(world, event)),
      ...refresh.steps.filter(isHarmless),
      ...scaling.steps,
      ...refresh.steps.filter((step) => !isHarmless(step)),
      ...[...scaling.events, ...refresh.events].map((event) => eventStep(world, event)),
    ],
    ...(waits.length > 0 && { requeueAfterMs: Math.max(1, Math.min(...waits)) }),
  };
}

/**
 * Annotations of ours that another hand made unreadable: an event tells of them, and the operator
 * removes them together with its marks.
 */
const ignored = ({ published }: PoolWorld): readonly EventText[] =>
  [
    ...new Map(published.shards.map(({ configMap }) => [configMap.name, configMap])).values(),
  ].flatMap((configMap) => {
    const broken = brokenAnnotations(configMap);
    if (broken.length === 0) return [];
    const message = `ConfigMap ${configMap.name}: the operator ignores and removes ${broken.join(', ')}, which cannot be read`;
    return [
      {
        type: 'Warning',
        reason: 'AnnotationIgnored' satisfies EventReason,
        action: 'Read',
        message,
      },
    ];
  });

/**
 * An eviction may be refused for a long time (by a budget): what does not depend on it goes first.
 */
const isHarmless = ({ do: what }: Step): boolean => what === 'annotate';

/**
 * By the times that stand in history: a wrong clock delays a change by no more than half a second.
 */
function changesWithin({ pool }: PoolWorld, { changes }: Published, now: number): number {
  const known = pool.status?.history?.map(({ publishTime }) => publishTime) ?? [];
  const times = [...unreportedChanges(pool.status, changes).map(({ time }) => time), ...known];
  return times.filter((time) => now - Date.parse(time) < RUN_OF_CHANGES_MS).length;
}

type Telling = { readonly steps: readonly Step[]; readonly nextInMs: number | undefined };

/** What is so or not is told at once; how far workers are, every two seconds. */
function tell(world: PoolWorld, view: PoolView, status: SwarmPoolStatus): Telling {
  const { ages, pool } = world;
  const steps = statusSteps(world, status);
  if (steps.length === 0) return { steps, nextInMs: undefined };
  const settleInMs = isSettling(view, pool.status)
    ? settleMs(world, view) - (ages.statusLagMs > 0 ? ages.statusLagMs : ages.publishedMs)
    : 0;
  const paceInMs = isOnlyProgress(pool.status, status) ? PACE_MS - ages.statusMs : 0;
  const nextInMs = Math.max(settleInMs, paceInMs);
  if (nextInMs <= 0) return { steps, nextInMs: undefined };
  return { steps: [], nextInMs: nextInMs === Infinity ? undefined : nextInMs };
}

/** The same is so, of the same version and the same spec. */
function isOnlyProgress(before: SwarmPoolStatus | undefined, after: SwarmPoolStatus): boolean {
  const said = (status: SwarmPoolStatus | undefined): readonly unknown[] => [
    status?.observedGeneration,
    status?.version,
    status?.replicas,
    status?.streams,
    status?.plan,
    status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
  ];
  return isSameJson(said(before), said(after));
}

/**
 * In the first moments of a change nothing is new but who has confirmed so far. Never kept waiting:
 * the first status of a pool, another number of workers (a wait for Converged must not be answered
 * by what was true before), a refusal.
 */
function isSettling(
  { members, slices, targets, refused }: PoolView,
  before: SwarmPoolStatus | undefined,
): boolean {
  if (refused !== undefined || before?.replicas !== sizeOf(targets)) return false;
  return before.version !== undefined && !isVerified(members, slices);
}

/**
 * Who has just begun to lead has yet to hear from those who have long confirmed: what was told of
 * them holds until it has asked them all, and a hundred thousand are asked within some minutes.
 */
function settleMs({ pool, unprobed }: PoolWorld, { members, version }: PoolView): number {
  const unheard = members.flatMap(({ isDesired, isProbed, pod, answer }) =>
    isDesired && isProbed && pod !== undefined && isAtWork(pod) && answer === undefined
      ? [pod.uid]
      : [],
  );
  if (unheard.length === 0 || pool.status?.version !== version) return SETTLE_MS;
  return unheard.some((uid) => unprobed.has(uid)) ? Infinity : UNHEARD_MS;
}

/** When the first that waits for others to join together with it will wait no more. */
function joinInMs({ presence }: PoolWorld, { members }: PoolView): number | undefined {
  const waits = members.flatMap(({ isDesired, hasJoined, hasFailed, pod, key }) =>
    isDesired && !hasJoined && !hasFailed && pod?.isReady === true
      ? [JOIN_TOGETHER_MS - (presence.readyMs[key] ?? 0)]
      : [],
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** When the first of those that have not confirmed will have been waited for this long. */
function nextToReach(
  limitMs: number,
  world: PoolWorld,
  { members, slices }: PoolView,
): number | undefined {
  const waits = members.flatMap((member) => {
    if (member.pod === undefined || hasConverged(member, slices.get(member.name))) return [];
    const left = limitMs - (world.ages.sliceMs[member.pod.uid] ?? 0);
    return left > 0 ? [left] : [];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** One write, and only when something differs; what happened is told after it succeeded. */
export function statusSteps(
  world: Pick<PoolWorld, 'pool'>,
  status: SwarmPoolStatus,
): readonly Step[] {
  const before = world.pool.status;
  if (isSameJson(before, status)) return [];
  return [
    statusStep(world, status),
    ...statusEvents(before, status).map((event) => eventStep(world, event)),
  ];
}

function statusStep(world: Pick<PoolWorld, 'pool'>, status: SwarmPoolStatus): Step {
  const { name, namespace, uid, resourceVersion } = world.pool.meta;
  return {
    do: 'status',
    kind: kinds.SwarmPool,
    ref: { name, namespace, uid, resourceVersion },
    status,
  };
}

function eventStep(world: Pick<PoolWorld, 'pool'>, event: EventText): Step {
  const { name, namespace, uid } = world.pool.meta;
  return {
    do: 'event',
    regarding: {
      apiVersion: apiVersionOf(kinds.SwarmPool),
      kind: 'SwarmPool',
      name,
      namespace,
      uid,
    },
    event,
  };
}
