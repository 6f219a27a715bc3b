// Is it the same that is tried again? A short hash of all that may make a size fail: the spec but
// its size and pause, the members and their pods' template, and the user's word to retry.
import { fingerprint } from '../api/fingerprint.ts';
import type { SwarmGroupSpec } from '../api/validate.ts';
import { ANNOTATION_RETRY } from '../core/labels.ts';
import type { GroupWorld } from './world.ts';

export function attemptOf({ group, members }: GroupWorld, spec: SwarmGroupSpec): string {
  const { replicas: _, paused: __, ...rest } = spec;
  const found = members.map(({ kind, name, found: it }) => [
    ...[kind, name, it?.uid, it?.revision, it?.rules],
  ]);
  const all = [rest, found, group.meta.annotations[ANNOTATION_RETRY] ?? ''];
  return fingerprint(all);
}
