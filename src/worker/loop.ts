// Keeps the supervisor's state: hands it one event at a time, performs its actions, and wakes it
// when something is due.
import type { Action, Policy } from './decide/stream.ts';
import {
  idle,
  nextDue,
  type SupervisorEvent,
  type SupervisorState,
  supervise,
} from './decide/supervise.ts';

export type Loop = {
  readonly state: () => SupervisorState;
  readonly handle: (event: SupervisorEvent) => void;
  readonly close: () => void;
};

type LoopOptions = {
  readonly policy: Policy;
  readonly perform: (action: Action) => void;
  readonly onChange: (now: SupervisorState, before: SupervisorState) => void;
};

export function createLoop({ policy, perform, onChange }: LoopOptions): Loop {
  let state: SupervisorState = idle;
  let timer: NodeJS.Timeout | undefined;
  let isHandling = false;
  const queue: SupervisorEvent[] = [];

  /** An action may cause an event at once: it waits until all actions of this one are done. */
  function handle(event: SupervisorEvent): void {
    queue.push(event);
    if (isHandling) return;
    isHandling = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) handleOne(next);
    isHandling = false;
    wakeWhenDue();
  }

  function handleOne(event: SupervisorEvent): void {
    const before = state;
    const at = { now: performance.now(), chance: Math.random() };
    const [after, actions] = supervise(policy, before, event, at);
    state = after;
    for (const action of actions) perform(action);
    onChange(after, before);
  }

  function wakeWhenDue(): void {
    clearTimeout(timer);
    const at = nextDue(state);
    // A timer may fire a little early, so one millisecond more.
    if (at !== undefined)
      timer = setTimeout(() => handle({ type: 'Due' }), Math.max(0, at - performance.now()) + 1);
  }

  return { state: () => state, handle, close: () => clearTimeout(timer) };
}
