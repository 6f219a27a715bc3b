// May the operator scale a member so? Within its bounds, to a size that was requested or that
// was reached, in the order of stages, and never while the group is paused.
import { asNumber, dig } from '../../../../../src/api/objects.ts';
import type { Scaled } from '../changes.ts';
import { type SceneMember, stateIn } from '../scene.ts';
import { type Moment, type Problem, problem } from './problem.ts';

/** What has lasted so long the operator knows. */
const KNOWN_MS = 1_000;
/** Clocks tick in whole milliseconds. */
const TICK_MS = 10;

/** `moment`: as it was before. */
export function scaleProblems(moment: Moment, { before, after }: Scaled): readonly Problem[] {
  const { scene, past, now } = moment;
  const { size } = scene;
  if (!before.isFree || now - past.editedAt < KNOWN_MS) return [];
  const { key } = before;
  const what = `${key} is scaled ${before.replicas} -> ${after.replicas}`;
  if (scene.isPaused) return [problem('pause', key, `${what} while the group is paused`)];
  if (size === undefined)
    return [problem('left out', key, `${what}, though spec.replicas is left out`)];
  const { least, most } = before.bounds;
  if (after.replicas < least || after.replicas > most)
    return [problem('bounds', key, `${what}; its bounds are ${least} and ${most}`)];
  const sizes = [size, ...past.recentSizes(now, KNOWN_MS)];
  const held = past.rests.all.length === 0 ? undefined : past.heldAt(before, scene);
  const isHeld = held?.has(after.replicas) ?? true;
  const isAsked = sizes.some((it) => before.at(it) === after.replicas);
  if (past.draws.mayBeDrawn(scene, now)) {
    if (!isAsked && !isHeld) past.draws.noteAhead({ before, after }, now);
    return [];
  }
  if (!isHeld && !isAsked)
    return [
      problem('targets', key, `${what}; sizes are ${sizes.join()}, held at ${[...(held ?? [])]}`),
    ];
  return [
    ...(isHeld ? [] : tooSoon(moment, before, what)),
    ...(isAsked
      ? outOfTurn(moment, { before, after }, size, what)
      : backOutOfTurn(moment, { before, after }, what)),
  ];
}

function tooSoon(
  { scene, past, now }: Moment,
  { key }: SceneMember,
  what: string,
): readonly Problem[] {
  const failure = past.failures.of(scene.size);
  if (failure === undefined || !failure.isSure) return [];
  // It fails with all members at its size.
  if (!scene.rollsBack && !failure.isLeft) return [];
  const waitMs = past.failures.waitMs(failure, scene);
  const passedMs = now - failure.at;
  return passedMs >= waitMs - TICK_MS
    ? []
    : [
        problem(
          'back-off',
          key,
          `${what} ${passedMs} ms after size ${failure.size} failed ${failure.count} times`,
        ),
      ];
}

function outOfTurn(
  { scene, past, now }: Moment,
  { before, after }: Scaled,
  size: number,
  what: string,
): readonly Problem[] {
  const { isStaged, free, timeoutMs } = scene;
  const isLate = past.perhapsStuckMs(now) > timeoutMs - KNOWN_MS;
  if (!isStaged || isLate || past.failures.of(size) !== undefined) return [];
  if (after.replicas !== after.at(size) || now - past.changedAt < KNOWN_MS) return [];
  const isUp = after.replicas > before.replicas;
  const open = free.filter((it) => {
    const isFirst = isUp ? it.stage < before.stage : it.stage > before.stage;
    const openMs = past.openMs(isUp ? 'growing' : 'shrinking', it.key, now);
    return isFirst && openMs >= KNOWN_MS;
  });
  return open.map((it) =>
    problem(
      'stages',
      before.key,
      `${what} before ${it.key} of stage ${it.stage} has its ${it.at(size)} (${it.replicas}, ${it.present} there, ${it.ready} ready)`,
    ),
  );
}

/** Going back, too: until the first time-out no stage is given up. */
function backOutOfTurn(
  { scene, past, now }: Moment,
  { before, after }: Scaled,
  what: string,
): readonly Problem[] {
  const { status, isStaged, free, timeoutMs } = scene;
  const failure = past.failures.of(asNumber(dig(status, 'transition', 'to')));
  if (!isStaged || stateIn(status) !== 'RollingBack' || failure === undefined) return [];
  const isLate = now - failure.at > timeoutMs - KNOWN_MS;
  if (isLate || now - past.changedAt < KNOWN_MS) return [];
  const isUp = after.replicas > before.replicas;
  const open = free.filter((it) => {
    const [target, ...others] = past.heldAt(it, scene);
    if (target === undefined || others.length > 0) return false;
    const { stage, replicas, present, surge } = it;
    if (isUp) return stage < before.stage && replicas < target;
    return stage > before.stage && (replicas > target || present > replicas + surge);
  });
  return open.map(({ key, stage, replicas, present }) =>
    problem(
      'stages back',
      before.key,
      `${what} before ${key} of stage ${stage} is back (${replicas}, ${present} there)`,
    ),
  );
}
