// What hits the operator in the middle of a step? Two or three actions within a few milliseconds of
// each other.
import type { Random } from '../random.ts';
import type { Placed } from '../story/story.ts';
import { batchJobEdits, ledgerEdits, type QueueAction } from './story.ts';

/** Makes a job of this name. */
type Make = (random: Random, name: string) => QueueAction;
type Episode = (random: Random, make: Make) => readonly QueueAction[];

/** Longer than an admission takes, or a start. */
const LONGEST_GAP_MS = 60;

const other = (name: string): string => (name === 'j0' ? 'j1' : 'j0');
const anyJob = (random: Random): string => random.pick(['j0', 'j1', 'j2', 'j3']);

const episodes: readonly Episode[] = [
  // Suspended while it is being admitted or started; another waits for its room.
  (random, make) => {
    const name = anyJob(random);
    return [
      { do: 'deleteJob', name },
      make(random, name),
      make(random, other(name)),
      { do: 'job', name, patch: { suspend: true } },
      ...(random.chance(0.5) ? [{ do: 'job', name, patch: { suspend: false } } as const] : []),
    ];
  },
  (random, make) => {
    const name = anyJob(random);
    return [
      { do: 'deleteJob', name },
      make(random, name),
      { do: 'ledger', how: random.pick(ledgerEdits) },
      make(random, other(name)),
      { do: 'ledger', how: random.pick(ledgerEdits) },
    ];
  },
  (random, make) => {
    const name = anyJob(random);
    return [
      { do: 'deleteJob', name },
      make(random, name),
      { do: 'batchJob', name, how: random.pick(batchJobEdits) },
      { do: 'batchJob', name, how: random.pick(batchJobEdits) },
    ];
  },
  // Deleted and made again under its name.
  (random, make) => {
    const name = anyJob(random);
    return [
      { do: 'deleteJob', name },
      make(random, name),
      { do: 'deleteJob', name },
      make(random, name),
    ];
  },
  (random, make) => {
    const quota = (): object => ({ quota: { pods: String(random.between(0, 4)) } });
    return [
      make(random, 'j4'),
      { do: 'queue', name: 'q0', patch: quota() },
      make(random, 'j5'),
      { do: 'queue', name: 'q0', patch: quota() },
      { do: 'deleteQueue', name: 'q0' },
      { do: 'createQueue', name: 'q0', spec: quota() },
    ];
  },
  (random) => {
    const name = anyJob(random);
    return [
      { do: 'job', name, patch: { suspend: true } },
      { do: 'pod', name, rank: 0, how: 'delete' },
      { do: 'job', name, patch: { suspend: false } },
      { do: 'status', name },
    ];
  },
];

export function episode(
  random: Random,
  make: Make,
  fromMs: number,
): readonly Placed<QueueAction>[] {
  let atMs = fromMs;
  return random
    .pick(episodes)(random, make)
    .map((action) => {
      atMs += random.between(0, LONGEST_GAP_MS);
      return { ...action, atMs };
    });
}
