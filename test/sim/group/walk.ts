// What if users do anything in any order? A random walk over every field of a group and its
// members, and back at the end.
import type { Random } from '../random.ts';
import { groupChanges } from '../story/fields.ts';
import type { Placed } from '../story/story.ts';
import { type Episode, episode, episodes } from './episodes.ts';
import { LAST_SIZE, memberOf, nameAt, namesOf } from './manifests.ts';
import { mends } from './mends.ts';
import { policyEpisodes, starts } from './policy-episodes.ts';
import {
  type GroupAction,
  type GroupShape,
  type GroupStory,
  groupModes,
  type MemberRules,
} from './story.ts';

const LAST_MS = 12_000;

export function groupWalk(seed: number, random: Random): GroupStory {
  const members = random.between(2, 5);
  const group: GroupShape = {
    mode: random.pick(groupModes),
    members,
    size: random.between(0, 4),
    ...(random.chance(0.6) && { rules: Array.from({ length: members }, () => rulesOf(random)) }),
    retryAfterSeconds: random.pick([4, 4, 15]),
  };
  const actions = random.chance(0.3) ? steps(group, random) : episodesOf(episodes, group, random);
  return walkOf(seed, group, actions, random);
}

/** The same where a policy decides, and members say themselves how they scale. */
export function policyWalk(seed: number, random: Random): GroupStory {
  const members = random.between(2, 5);
  const rules = Array.from({ length: members }, () => ({
    ...rulesOf(random),
    ...(random.chance(0.3) && { readyFraction: random.pick(['0.5', '0.75', '0.9', '1.0']) }),
  }));
  const group: GroupShape = {
    mode: random.pick(groupModes),
    ...{ members, rules, size: random.between(0, 4) },
    retryAfterSeconds: random.pick([4, 15]),
  };
  const all = random.chance(0.7) ? policyEpisodes : { ...policyEpisodes, ...episodes };
  return {
    ...walkOf(seed, group, episodesOf(all, group, random), random),
    startsAt: random.pick(Object.values(starts)),
  };
}

function walkOf(
  seed: number,
  group: GroupShape,
  actions: readonly Placed<GroupAction>[],
  random: Random,
): GroupStory {
  const lastMs = Math.max(...actions.map(({ atMs }) => atMs));
  const endMs = lastMs + (random.chance(0.4) ? random.between(8_000, 30_000) : 0);
  return {
    seed,
    group,
    isWalk: true,
    hasStandby: false,
    startsEmpty: random.chance(0.1),
    actions: [
      ...actions,
      ...mends(group, (step) => endMs + random.between(1_600 * step, 1_600 * step + 1_500)),
    ],
    faults: [],
  };
}

/** Anything at any time, in a short while. */
const steps = (group: GroupShape, random: Random): readonly Placed<GroupAction>[] =>
  Array.from({ length: random.between(1, 9) }, () => ({
    ...step(group, random),
    atMs: random.between(0, LAST_MS),
  }));

/** Two or three at once, or one after another, and something else in between. */
function episodesOf(
  all: Readonly<Record<string, Episode>>,
  group: GroupShape,
  random: Random,
): readonly Placed<GroupAction>[] {
  let fromMs = 1_500;
  return Array.from({ length: random.between(1, 3) }, () => {
    const actions = episode(all, group, random, fromMs);
    const lastMs = Math.max(...actions.map(({ atMs }) => atMs));
    const between = random.chance(0.3)
      ? [{ ...step(group, random), atMs: random.between(fromMs, lastMs) }]
      : [];
    fromMs = random.chance(0.5)
      ? random.between(fromMs, lastMs)
      : lastMs + random.between(0, 15_000);
    return [...actions, ...between];
  }).flat();
}

/** Ratios of any form. */
const rulesOf = (random: Random): MemberRules => ({
  ratio: random.pick([
    1,
    1,
    1,
    2,
    '0.5',
    '1.5',
    '1.0',
    '0.1',
    '0.0333333',
    '1.000000001',
    '0.333333333',
  ]),
  stage: random.between(0, 2),
  ...(random.chance(0.2) && { minReplicas: random.between(1, 2) }),
  ...(random.chance(0.2) && { maxReplicas: random.between(2, 5) }),
});

function step(shape: GroupShape, random: Random): GroupAction {
  const name = nameAt(random.between(0, shape.members - 1));
  const to = random.between(0, LAST_SIZE - 1);
  switch (random.between(0, 17)) {
    case 0:
    case 1:
    case 2:
      return { do: 'size', to };
    case 3:
      return { do: 'scaleMember', name: random.pick([name, nameAt(0)]), to };
    case 4:
      return { do: 'deleteMember', name };
    case 5:
      return {
        do: random.pick([
          'pause',
          'resume',
          'deleteGroup',
          'createGroup',
          'createMembers',
          'restartOperator',
        ]),
      };
    case 6:
      return { do: 'template', name, revision: random.pick(['first', 'second', 'third']) };
    case 7:
      return { do: 'break', name, forMs: random.between(500, 15_000) };
    case 8:
      return { do: 'autoscaler', ...(random.chance(0.7) && { of: name }) };
    case 9:
      return { do: 'rival', ...(random.chance(0.7) && { names: [name] }) };
    case 10:
      return { do: 'quota', forMs: random.between(100, 4_000) };
    case 11:
      return shape.mode === 'Pool'
        ? { do: 'poolScaling', to: random.pick(['Follow', 'Lead']) }
        : { do: 'relabel', name, isSelected: random.chance(0.5) };
    case 12:
      return { do: 'members', names: namesOf(shape).filter(() => random.chance(0.7)) };
    case 13:
    case 14:
      return { do: 'member', name, patch: random.pick(memberChanges) };
    case 15:
      return { do: 'spec', patch: random.pick(specChanges) };
    default:
      return { do: 'spec', ...random.pick(groupChanges) };
  }
}

/** Valid values of one member. */
const memberChanges: readonly object[] = [
  { ratio: 3 },
  { ratio: '0.1' },
  { ratio: '2.5' },
  { stage: 0 },
  { stage: 5 },
  { minReplicas: 2 },
  { maxReplicas: 2 },
  { minReplicas: 3, maxReplicas: 3 },
  { name: 'elsewhere' },
];

/** Valid values of several fields at once. */
const specChanges: readonly object[] = [
  { transition: { order: 'Staged' } },
  { transition: { order: 'Together' } },
  { transition: { onTimeout: 'Rollback', timeoutSeconds: 3 } },
  { transition: { onTimeout: 'Keep', timeoutSeconds: 3 } },
  { transition: { timeoutSeconds: 1 } },
  { transition: { retryAfterSeconds: 1 } },
  { policy: { minReplicas: 2 } },
  { policy: { maxReplicas: 2 } },
  { policy: { minReplicas: 3, maxReplicas: 3 } },
  { memberDefaults: { ratio: 2 } },
  { memberDefaults: { stage: 4, minReplicas: 1 } },
  { memberDefaults: { maxReplicas: 2 } },
  { members: null, selector: { matchLabels: { shop: 'yes' } } },
  { selector: null, members: [memberOf('m0'), memberOf('m1')] },
  { paused: true },
  { paused: false },
  { replicas: null },
];
