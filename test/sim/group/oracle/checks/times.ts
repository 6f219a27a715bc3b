// Are the times of a transition true? No longer than it can have taken, and none where it was
// paused meanwhile.
import { asNumber, asString, dig } from '../../../../../src/api/objects.ts';
import { newestIn, outcomeOf } from '../failures.ts';
import type { Scene } from '../scene.ts';
import { type Moment, type Problem, problem } from './problem.ts';

/** Times in status are whole seconds. */
const SECOND_MS = 1_000;
/** A clock that was changed meanwhile proves nothing. */
const JUMP_MS = 600_000;

/** `wallMs`: what a clock on the wall says now. */
export function timeProblems(
  { scene, past, now }: Moment,
  before: Scene,
  wallMs: number,
): readonly Problem[] {
  const entry = newestIn(scene.status);
  const total = asNumber(dig(entry, 'totalMilliseconds'));
  const isNew = JSON.stringify(entry) !== JSON.stringify(newestIn(before.status));
  if (!isNew || total === undefined) return [];
  const agoMs = wallMs - Date.parse(asString(dig(entry, 'requestTime')) ?? '');
  if (Math.abs(agoMs) > JUMP_MS) return [];
  const pausedMs = past.pausedAt - (now - agoMs);
  if (pausedMs > SECOND_MS)
    return [problem('times', 'paused', `${outcomeOf(entry)} after ${total} ms, paused among them`)];
  return total > agoMs + SECOND_MS
    ? [problem('times', 'long', `${total} ms, and it was asked for ${agoMs} ms ago`)]
    : [];
}
