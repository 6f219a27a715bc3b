// What is shown of a decision about any kind, and which condition tells the most?

import type { ShownStep } from '../../api/introspection/decided.ts';
import type { First } from '../../api/introspection/schema.ts';
import type { Condition } from '../../core/conditions.ts';
import type { Decision, Refusal, Step } from '../../core/decision.ts';
import { firstOf } from './page.ts';

type Obstacle = Pick<Refusal, 'reason' | 'message'>;

type ShownDecision = {
  readonly steps: First<ShownStep>;
  readonly obstacle: Obstacle | undefined;
  readonly requeueAfterSeconds?: number;
};

/** `obstacle`: what blocks the object, or what the API server refused of the decision before. */
export const decisionShown = (
  { steps, requeueAfterMs }: Decision,
  obstacle: Obstacle | undefined,
): ShownDecision => ({
  steps: firstOf(steps.map(stepShown)),
  obstacle: obstacle && { reason: obstacle.reason, message: obstacle.message },
  ...(requeueAfterMs !== undefined && { requeueAfterSeconds: requeueAfterMs / 1000 }),
});

/** Never what is written: that may hold the parameters of streams. */
function stepShown(step: Step): ShownStep {
  switch (step.do) {
    case 'create':
    case 'createKeys':
      return { do: 'create', kind: step.object.kind, name: step.object.metadata.name };
    case 'patch':
    case 'operate':
    case 'delete':
    case 'status':
      return { do: step.do, kind: step.kind.kind, name: step.ref.name };
    case 'scale':
      return {
        do: step.do,
        kind: step.kind.kind,
        name: step.ref.name,
        about: `${step.replicas} replicas`,
      };
    case 'annotate':
    case 'evict':
      return { do: step.do, kind: 'Pod', name: step.pod.name };
    case 'event':
      return {
        do: step.do,
        kind: step.regarding.kind,
        name: step.regarding.name,
        about: `${step.event.reason}: ${step.event.message}`,
      };
    default:
      return step satisfies never;
  }
}

/** Stalled, if it is true, and else Ready. */
export const mostImportant = (conditions: readonly Condition[] = []): Condition | undefined =>
  conditions.find(({ type, status }) => type === 'Stalled' && status === 'True') ??
  conditions.find(({ type }) => type === 'Ready');
