// What does a decision about a job do, in a few words?
import { asString, dig } from '../../src/api/objects.ts';
import type { Step } from '../../src/core/decision.ts';

/** "create Job", "operate Job", "status Running", "event AllRanksRunning". */
export const stepText = (step: Step): string => {
  switch (step.do) {
    case 'create':
      return `create ${step.object.kind}`;
    case 'createKeys':
      return `create ${step.object.kind}`;
    case 'status':
      return `status ${asString(dig(step.status, 'state'))}`;
    case 'event':
      return `event ${step.event.reason}`;
    case 'operate':
      return `operate ${step.operations.map(({ op, path, value }) => `${op} ${path.split('/').at(-1)} ${value}`).join(', ')}`;
    case 'delete':
    case 'patch':
      return `${step.do} ${step.kind.kind}`;
    default:
      return step.do;
  }
};

export const textsOf = (steps: readonly Step[]): readonly string[] =>
  steps.filter((step) => step.do !== 'event').map(stepText);
