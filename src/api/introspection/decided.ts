// What is shown of every kind: conditions, and what the operator last decided.
import { type Described, first, number, object, oneOf, text, whole } from './schema.ts';

export const condition = object('As in status.', {
  type: text('What it is about.'),
  status: oneOf(['True', 'False', 'Unknown']),
  reason: text('In one word.'),
  message: text('In a sentence.'),
  'observedGeneration?': whole('The generation of the spec that it speaks of.'),
  lastTransitionTime: text('When the status last changed.'),
});

export const refusal = { reason: text('In one word.'), message: text('In a sentence.') };

const step = object('A write; what is written is not shown.', {
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

/** A kind adds its own; `steps`: what it means that there are none. */
export const decided = (steps: string) => ({
  steps: first(step, `The steps of that decision; none: ${steps}.`),
  'obstacle?': object('Why nothing can be decided.', refusal),
  'requeueAfterSeconds?': number('When it will decide again, if nothing changes before.'),
});

export type ShownStep = Described<typeof step>;
