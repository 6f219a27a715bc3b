// Which ordinary days does a group have to stand? All of them, by what they are about.
import type { Day } from './day.ts';
import { daysOfFailures } from './failures.ts';
import { daysOfMembers } from './members.ts';
import { daysOfOthers } from './others.ts';
import { daysOfPolicies } from './policies.ts';
import { daysOfSizes } from './sizes.ts';

export const days: readonly Day[] = [
  ...daysOfSizes,
  ...daysOfFailures,
  ...daysOfOthers,
  ...daysOfPolicies,
  ...daysOfMembers,
];
