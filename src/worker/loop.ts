// How do facts become actions, one at a time? The supervisor decides; this keeps its state, the
// order of events, and its next appointment.
import type { Action, Policy } from './decide/stream.ts';
import { idle, nextDue, type SupervisorEvent, type Swarm, supervise } from './decide/supervise.ts';

export type Loop = {
  readonly swarm: () => Swarm;
  readonly handle: (event: SupervisorEvent) => void;
  readonly close: () => void;
};

export type LoopOptions = {
  readonly policy: Policy;
  /** From 0 up to 1. */
  readonly chance: () => number;
  readonly perform: (action: Action) => void;
  readonly onChange: (now: Swarm, before: Swarm) => void;
};

export function createLoop({ policy, chance, perform, onChange }: LoopOptions): Loop {
  let swarm: Swarm = idle;
  let timer: NodeJS.Timeout | undefined;
  let isHandling = false;
  const queue: SupervisorEvent[] = [];

  /**
   * An action may cause the next event at once; that one waits until all actions of this one are
   * done.
   */
  function handle(event: SupervisorEvent): void {
    queue.push(event);
    if (isHandling) return;
    isHandling = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) handleOne(next);
    isHandling = false;
    wakeWhenDue();
  }

  function handleOne(event: SupervisorEvent): void {
    const before = swarm;
    const [after, actions] = supervise(policy, before, event, {
      now: performance.now(),
      chance: chance(),
    });
    swarm = after;
    for (const action of actions) perform(action);
    onChange(after, before);
  }

  function wakeWhenDue(): void {
    clearTimeout(timer);
    const at = nextDue(swarm);
    // A timer may fire a little early: a millisecond more saves a round for nothing.
    if (at !== undefined)
      timer = setTimeout(() => handle({ type: 'Due' }), Math.max(0, at - performance.now()) + 1);
  }

  return { swarm: () => swarm, handle, close: () => clearTimeout(timer) };
}
