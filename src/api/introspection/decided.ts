// Which fields does the answer for every kind have? Conditions, and the operator's last decision.
import { type Described, first, number, object, oneOf, text, whole } from './schema.ts';

export const condition = object('As in status.', {
  type: text('Its type.'),
  status: oneOf(['True', 'False', 'Unknown']),
  reason: text('One word in CamelCase.'),
  message: text('A sentence.'),
  'observedGeneration?': whole('The generation of the spec that it refers to.'),
  lastTransitionTime: text('When the status last changed.'),
});

export const refusal = { reason: text('One word in CamelCase.'), message: text('A sentence.') };

const step = object('A write. Its content is not shown.', {
  do: oneOf([
    'create',
    'patch',
    'operate',
    'annotate',
    'delete',
    'scale',
    'evict',
    'status',
    'event',
  ]),
  kind: text('Kind of the object.'),
  name: text('Name of the object.'),
  'about?': text('The number of replicas, or the event.'),
});

/** Each kind adds its own fields. `steps` describes what an empty list means. */
export const decided = (steps: string) => ({
  steps: first(step, `The steps of that decision; none: ${steps}.`),
  'obstacle?': object('Why the operator cannot decide.', refusal),
  'requeueAfterSeconds?': number('When the operator decides again if nothing changes before.'),
});

export type ShownStep = Described<typeof step>;
