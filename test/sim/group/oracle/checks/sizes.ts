// Do all free members get to one and the same size in time, whatever happened? One time-out for
// those that are well, and one more for each stage until all are there.
import type { SceneMember } from '../scene.ts';
import { haveSize } from '../settled.ts';
import { type Moment, type Problem, problem } from './problem.ts';

/** To see the end of a time-out, to scale, and to hear of it. */
export const GRACE_MS = 2_500;

export function sizeProblems(moment: Moment): readonly Problem[] {
  const { scene, past, now } = moment;
  const { size, isPaused, timeoutMs, stages, free } = scene;
  if (size === undefined || isPaused || free.length === 0 || past.draws.isAhead) return [];
  past.retryWhenDue(scene, now);
  const quietMs = past.quietMs(now);
  return [
    ...(quietMs > timeoutMs + GRACE_MS ? promptProblems(moment, size) : []),
    ...(quietMs > (1 + stages) * timeoutMs + GRACE_MS ? lastProblems(moment, size) : []),
  ];
}

/** Those that the check is about. */
const meant = ({ scene, past, now }: Moment): readonly SceneMember[] =>
  scene.free.filter(({ name }) => !past.isRefused(name, now));

/** A member that is well, and whose turn it has been, has its size after one time-out. */
function promptProblems(moment: Moment, size: number): readonly Problem[] {
  const { scene, past, isWell } = moment;
  if (past.failures.of(size) !== undefined) return [];
  const others = (member: SceneMember): readonly SceneMember[] =>
    scene.isStaged ? scene.free.filter(({ stage }) => stage !== member.stage) : [];
  const areWell = (members: readonly SceneMember[]): boolean =>
    members.every(({ kind, name }) => kind !== 'SwarmPool' && isWell(name));
  return meant(moment)
    .filter((member) => areWell([member, ...others(member)]))
    .filter((member) => others(member).every((it) => meant(moment).includes(it)))
    .filter(({ replicas, at }) => replicas !== at(size))
    .map(({ key, replicas, at }) =>
      problem(
        'prompt',
        key,
        `${key} is well and has ${replicas} replicas, not ${at(size)}, a time-out after the last change`,
      ),
    );
}

function lastProblems(moment: Moment, size: number): readonly Problem[] {
  const { scene, past } = moment;
  const members = meant(moment);
  const hasFailed = past.failures.of(size) !== undefined;
  if (members.every(({ replicas, at }) => replicas === at(size)))
    return haveSize(scene, size) ? namesIt(moment, [size]) : [];
  const held = (member: SceneMember): readonly number[] => [...past.heldAt(member, scene)];
  if (!hasFailed)
    return members
      .filter(({ replicas, at }) => replicas !== at(size))
      .map(({ key, replicas, at }) =>
        problem(
          'one size',
          key,
          `${key} has ${replicas} replicas; at size ${size} it is ${at(size)}`,
        ),
      );
  // It was never at rest, so there is nothing known to go back to.
  if (past.rests.all.length === 0) return [];
  const wrong = members.filter((it) => !held(it).includes(it.replicas));
  if (wrong.length === 0)
    return namesIt(
      moment,
      past.rests.all.map((it) => it.size),
    );
  return wrong.map((it) =>
    problem(
      'goes back',
      it.key,
      `size ${size} failed, and ${it.key} has ${it.replicas} replicas; when the group was last at rest it had ${held(it).join(' or ')}`,
    ),
  );
}

function namesIt({ scene, past, now }: Moment, sizes: readonly number[]): readonly Problem[] {
  const { replicas } = Object(scene.status) as { readonly replicas?: unknown };
  const bounded = sizes.map(scene.bounded);
  const isNamed = typeof replicas === 'number' && bounded.includes(replicas);
  const isExcused = scene.members.some((it) => it.isContested || past.isRefused(it.name, now));
  return isNamed || isExcused
    ? []
    : [
        problem(
          'names its size',
          'replicas',
          `all members have their replicas of size ${bounded.join(' or ')}; status.replicas is ${String(replicas)}`,
        ),
      ];
}
