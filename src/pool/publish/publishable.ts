// Why can the desired state not be published? The first refusal counts.
import { HIGHEST_VERSION } from '../../api/assignment.ts';
import { listed, plural } from '../../core/meta.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Blocked } from '../preconditions.ts';
import type { PoolWorld } from '../world.ts';
import { shardsOf } from './published.ts';
import { MOST_BYTES, shardsEnough, unreadable } from './room.ts';

type Check = (world: PoolWorld, desired: DesiredState) => Blocked | undefined;

export function whyUnpublishable(world: PoolWorld, desired: DesiredState): Blocked | undefined {
  for (const check of checks) {
    const blocked = check(world, desired);
    if (blocked !== undefined) return blocked;
  }
  return undefined;
}

const ofChange =
  (check: Check): Check =>
  (world, desired) =>
    desired.publication.change === undefined ? undefined : check(world, desired);

const workersUnknown: Check = (_, { unknown }) =>
  unknown.length === 0
    ? undefined
    : {
        reason: 'WorkersUnknown',
        message: `the assignment was lost, and ${listed(unknown)} did not say yet what is running there; until then nothing is given to anybody (handoff.type Exclusive)`,
        isStalled: false,
      };

/**
 * Only a user who may write status can cause this: other sources of such a version are not
 * believed.
 */
const versionTooHigh: Check = (_, { publication: { change } }) =>
  change === undefined || change.version <= HIGHEST_VERSION
    ? undefined
    : {
        reason: 'VersionTooHigh',
        message: `status.version is ${change.version - 1}, and the operator cannot publish a higher one; set it to the version in the ConfigMap (kubectl edit --subresource=status). What was published stays in force`,
        isStalled: true,
      };

const configMapTooLarge: Check = (_, { publication, members, spec: { assignments } }) => {
  const enough = shardsEnough(publication, members, assignments.shards);
  if (enough === undefined) return undefined;
  return {
    reason: 'AssignmentTooLarge',
    message: `what ${plural(assignments.shards, 'ConfigMap')} would have to hold is more than ${MOST_BYTES / 1024} KiB each; spec.assignments.shards: ${enough} is enough`,
    isStalled: true,
  };
};

const assignmentTooLarge: Check = ({ pool, published }, { publication, spec }) => {
  const excess = unreadable(publication, published.shards, shardsOf(pool.meta.name, spec));
  if (excess === undefined) return undefined;
  return {
    reason: 'AssignmentTooLarge',
    message: `the assignment would have ${excess}; divide the streams between several pools. What was published stays in force`,
    isStalled: true,
  };
};

const checks: readonly Check[] = [
  workersUnknown,
  ofChange(versionTooHigh),
  ofChange(configMapTooLarge),
  ofChange(assignmentTooLarge),
];
