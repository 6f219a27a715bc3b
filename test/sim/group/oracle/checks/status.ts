// Does status say what is so? Each of these is wrong only if it lasts: the operator hears of the
// members a moment later, and writes mere progress every two seconds.
import { asNumber, dig } from '../../../../../src/api/objects.ts';
import { conditionIn, type Scene, type SceneMember, stateIn } from '../scene.ts';
import { haveSize, isWhole } from '../settled.ts';
import { type Moment, type Problem, problem } from './problem.ts';
import { GRACE_MS } from './sizes.ts';

/** Why the group is not Ready: each reason, by what stays the same while it lasts. */
export function reasonsNotReady(scene: Scene): ReadonlyMap<string, string> {
  const { size, members, free, isPaused } = scene;
  if (isPaused) return new Map([['paused', 'it is paused']]);
  if (size === undefined) return new Map([['size', 'it has no size']]);
  if (free.length === 0) return new Map([['free', 'it has no free member']]);
  const others = members.filter((it) => !it.isContested && (!it.isFree || !isWhole(it, size)));
  return new Map(others.map((it) => [it.key, howItIs(it, it.at(size))]));
}

const howItIs = ({ key, replicas, present, ready, isFree }: SceneMember, wanted: number): string =>
  isFree
    ? `${key} has ${replicas} replicas, ${present} there, ${ready} ready, of ${wanted}`
    : `${key} is not there, or not free`;

const whyNotReady = (scene: Scene): string | undefined => [...reasonsNotReady(scene).values()][0];

/** What has lasted so long, a writer of status knows. */
const KNOWN_MS = 1_000;

export function statusProblems(moment: Moment): readonly Problem[] {
  return [readiness, stalled, ending, timeOut, backingOff, noMember, told].flatMap((check) =>
    check(moment),
  );
}

function readiness({ scene }: Moment): readonly Problem[] {
  const [ready, reconciling, stalledNow] = ['Ready', 'Reconciling', 'Stalled'].map(
    (type) => conditionIn(scene.status, type).status === 'True',
  );
  const why = whyNotReady(scene);
  return [
    ...(ready === true && why !== undefined
      ? [problem('true status', 'Ready', `Ready is True; ${why}`)]
      : []),
    ...(ready === true && (reconciling === true || stalledNow === true)
      ? [problem('true status', 'both', 'Ready is True, and Reconciling or Stalled too')]
      : []),
  ];
}

/** Whose pods are Ready again, or roll out at rest, are not told of as timed out. */
function stalled({ scene, past }: Moment): readonly Problem[] {
  const { status, reason } = conditionIn(scene.status, 'Stalled');
  const isTimedOut = reason === 'TransitionTimedOut' || reason === 'RollbackTimedOut';
  if (status !== 'True' || !isTimedOut || scene.size === undefined) return [];
  if (!past.hasReached || past.failures.of(scene.size) !== undefined) return [];
  if (!haveSize(scene, scene.size)) return [];
  return [
    problem(
      'recovered',
      'Stalled',
      `Stalled is True for ${reason}, and size ${scene.size} has been reached since`,
    ),
  ];
}

/** A transition ends when all members are there. */
function ending({ scene, past }: Moment): readonly Problem[] {
  const state = stateIn(scene.status);
  const isOpen = state === 'Scaling' || state === 'TimedOut';
  if (dig(scene.status, 'transition', 'to') !== scene.size) return [];
  if (!isOpen || past.reached !== 'yes' || scene.isPaused || scene.size === undefined) return [];
  return [
    problem(
      state === 'Scaling' ? 'completes' : 'recovered',
      state,
      `all members have size ${scene.size} and their pods; the transition is ${state}`,
    ),
  ];
}

/** Without progress it ends after a time-out, and a rollback after one for each stage. */
function timeOut({ scene, past, now }: Moment): readonly Problem[] {
  const { timeoutMs, stages, status, isPaused } = scene;
  const state = stateIn(status);
  const isOpen = state === 'Scaling' || state === 'RollingBack';
  const limitMs = (state === 'Scaling' ? 1 : stages) * timeoutMs + GRACE_MS;
  if (!isOpen || isPaused || past.stuckMs(now) <= limitMs) return [];
  return [
    problem(
      'time-out',
      state,
      `the transition is ${state} without progress for more than ${limitMs} ms`,
    ),
  ];
}

/** While a size that failed waits, its condition names it, and the members that were not ready. */
function backingOff({ scene, past, now }: Moment): readonly Problem[] {
  const failure = past.failures.of(scene.size);
  if (failure === undefined || !failure.isSure || !scene.rollsBack || scene.isPaused) return [];
  if (stateIn(scene.status) !== 'RolledBack' || past.rests.all.length === 0) return [];
  if (scene.size === undefined || haveSize(scene, scene.size)) return [];
  if (now - failure.endedAt >= past.failures.waitMs(failure, scene)) return [];
  // There is worse to tell.
  if (scene.members.some(({ isFree, name }) => !isFree || past.isRefused(name, now))) return [];
  const { reason, message, status } = conditionIn(scene.status, 'Ready');
  const [only] = failure.unready;
  const isNamed = only === undefined || failure.unready.length > 1 || message.includes(only);
  if (status === 'False' && message.includes(String(failure.size)) && isNamed) return [];
  return [
    problem(
      'backing off',
      'Ready',
      `size ${failure.size} waits after ${only} was not ready; Ready says ${status} ${reason}: ${message}`,
    ),
  ];
}

function noMember({ scene }: Moment): readonly Problem[] {
  if (scene.free.length > 0 || scene.isPaused || scene.size === undefined) return [];
  return stateIn(scene.status) === 'Scaling' || stateIn(scene.status) === 'RollingBack'
    ? [problem('no member', 'state', 'no member is free, and a transition is under way')]
    : [];
}

const PAUSED = 'k8slab.info/paused';

/** An annotation that pauses nothing is told, unless there is worse to tell. */
function told({ scene }: Moment): readonly Problem[] {
  const value = scene.group.metadata.annotations?.[PAUSED] ?? '';
  if (['', 'true', 'false'].includes(value)) return [];
  if (conditionIn(scene.status, 'Stalled').status === 'True') return [];
  const text = JSON.stringify(dig(scene.status, 'conditions')) ?? '';
  return text.includes(PAUSED)
    ? []
    : [problem('annotation', value, `${PAUSED}=${value} pauses nothing, and no condition says so`)];
}

/** Right after status was written: a transition has ended well or badly only if it has. */
export function endProblems({ scene, past }: Moment, before: Scene): readonly Problem[] {
  const { status, size, free } = scene;
  const [was, is] = [before.status, status].map((it) =>
    [stateIn(it), dig(it, 'transition', 'requestTime'), dig(it, 'transition', 'to')].join(),
  );
  const [state, to] = [stateIn(status), asNumber(dig(status, 'transition', 'to'))];
  if (was === is || size === undefined || scene.isPaused) return [];
  if (state === 'Completed') {
    if (free.length === 0) return [problem('no member', state, 'Completed, and no member is free')];
    return to === size && past.notReachedMs >= KNOWN_MS
      ? [problem('true end', state, `Completed at size ${to}; ${whyNotReady(scene)}`)]
      : [];
  }
  const isFailed = state === 'TimedOut' || state === 'RollingBack';
  return isFailed && to === size && past.reachedMs >= KNOWN_MS
    ? [problem('true end', state, `${state}, and size ${to} is reached`)]
    : [];
}
