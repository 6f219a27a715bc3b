// What has happened to a worker, and what must follow? The words of rows about it.
import { expect } from '@jest/globals';
import type { Action, Policy } from '../../../src/worker/decide/stream.ts';
import {
  consumed,
  idle,
  nextDue,
  type SupervisorEvent,
  type SupervisorState,
  supervise,
} from '../../../src/worker/decide/supervise.ts';
import { slice } from './builders.ts';

/** What happened at which time, and the actions and the report that must follow the last event. */
export type Happening = readonly [atMs: number, event: SupervisorEvent];
export type Want = {
  readonly actions?: readonly string[];
  readonly jobs?: readonly string[];
  readonly version?: number;
  readonly due?: number | undefined;
};

export const given = (version: number, jobs: readonly string[], weight = 0): SupervisorEvent => ({
  type: 'Slice',
  slice: slice(version, jobs, {
    weights: Object.fromEntries(jobs.map((stream) => [stream, weight])),
  }),
});
export const of = (stream: string, type: 'Started' | 'Gone'): SupervisorEvent => ({
  type: 'Process',
  stream,
  event: { type },
});
export const ended = (stream: string, code: number | null): SupervisorEvent => ({
  type: 'Process',
  stream,
  event: { type: 'Exited', code },
});
export const failed = (stream: string): SupervisorEvent => ({
  type: 'Process',
  stream,
  event: { type: 'SpawnFailed', problem: 'no such file' },
});
export const due: SupervisorEvent = { type: 'Due' };
export const shutdown: SupervisorEvent = { type: 'Shutdown' };
export const hurry: SupervisorEvent = { type: 'Hurry' };

export function play(
  happenings: readonly Happening[],
  rules: Policy,
  chance = 0,
): { readonly swarm: SupervisorState; readonly actions: readonly Action[] } {
  return happenings.reduce<{ swarm: SupervisorState; actions: readonly Action[] }>(
    ({ swarm }, [at, event]) => {
      const [after, actions] = supervise(rules, swarm, event, { now: at, chance });
      return { swarm: after, actions };
    },
    { swarm: idle, actions: [] },
  );
}

export const inWords = (action: Action): string => {
  if (action.do === 'Start') return `start ${action.job.stream}`;
  return action.do === 'Signal' ? `${action.signal} ${action.stream}` : `warn ${action.stream}`;
};

export function check(happenings: readonly Happening[], want: Want, rules: Policy): void {
  const { swarm, actions } = play(happenings, rules);
  if (want.actions !== undefined) expect(actions.map(inWords)).toEqual(want.actions);
  if (want.jobs !== undefined) expect(consumed(swarm)).toEqual(want.jobs);
  if (want.version !== undefined) expect(swarm.confirmed).toBe(want.version);
  if ('due' in want) expect(nextDue(swarm)).toBe(want.due);
}

export type Row = [title: string, happenings: readonly Happening[], want: Want];
export const runningA: readonly Happening[] = [
  [0, given(1, ['a'])],
  [0, of('a', 'Started')],
];
export const crash = (at: number): readonly Happening[] => [
  [at, ended('a', 1)],
  [at, of('a', 'Gone')],
];
