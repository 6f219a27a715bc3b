// What is told of a queue that is paused, and of one that is resumed?
import { describe, expect, it } from '@jest/globals';
import type { SwarmQueue } from '../../../src/api/validate.ts';
import type { EventText } from '../../../src/core/decision.ts';
import { decideFailed, decideQueues } from '../../../src/queue/decide.ts';
import { nothingRemembered, type QueueWorld } from '../../../src/queue/world.ts';
import { atRest, carriedOut, NOW, queueOf, worldOf } from '../../support/queue-worlds.ts';

const queue = queueOf({ pods: '4' });
const paused = queueOf({ pods: '4' }, { paused: true });
const annotated = (queue: SwarmQueue, paused = 'true'): SwarmQueue => ({
  ...queue,
  meta: { ...queue.meta, annotations: { 'k8slab.info/paused': paused } },
});
const refused = { reason: 'Forbidden', message: 'no' };

/** The same queue, as a user edits it. */
const edited = (world: QueueWorld, next: SwarmQueue): QueueWorld => ({
  ...world,
  queues: world.queues.map(({ status }) => ({ ...next, status })),
});
const eventsIn = (world: QueueWorld): readonly EventText[] =>
  decideQueues(world, NOW).steps.flatMap((step) => (step.do === 'event' ? [step.event] : []));
const conditionIn = ({ queues: [queue] }: QueueWorld, type: string) =>
  queue?.status?.conditions?.find((it) => it.type === type);

const ready = atRest(worldOf({ queues: [queue] }));

describe('a queue that is paused', () => {
  it.each<[string, SwarmQueue, string]>([
    ['its spec', paused, 'spec.paused is true'],
    ['the annotation', annotated(queue), 'the annotation k8slab.info/paused is "true"'],
    [
      'both',
      annotated(paused),
      'spec.paused is true, and the annotation k8slab.info/paused is "true"',
    ],
  ])('an event and the condition Paused name what pauses it: %s', (_, next, why) => {
    const message = `${why}: no job is admitted; jobs that run go on`;
    const world = edited(ready, next);
    expect(eventsIn(world)).toMatchObject([{ type: 'Normal', reason: 'Paused', message }]);
    const rest = atRest(world);
    expect(conditionIn(rest, 'Paused')).toMatchObject({ status: 'True', message });
    expect(conditionIn(rest, 'Ready')).toMatchObject({ status: 'False', reason: 'Paused' });
  });

  it('a Resumed event follows the end of the pause', () => {
    const world = edited(atRest(edited(ready, annotated(queue))), queue);
    expect(eventsIn(world)).toMatchObject([{ type: 'Normal', reason: 'Resumed' }]);
    expect(conditionIn(atRest(world), 'Paused')).toMatchObject({
      status: 'False',
      reason: 'NotPaused',
    });
  });

  it('an annotation that is neither true nor false pauses nothing, and the condition reports it', () => {
    const rest = atRest(edited(ready, annotated(queue, 'yes')));
    expect(conditionIn(rest, 'Paused')).toMatchObject({
      status: 'False',
      reason: 'AnnotationIgnored',
      message:
        'the annotation k8slab.info/paused is neither "true" nor "false", so it has no effect',
    });
    expect(conditionIn(rest, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('a queue that is created paused emits a Paused event, and any other queue emits none', () => {
    expect(eventsIn(worldOf({ queues: [paused] }))).toMatchObject([{ reason: 'Paused' }]);
    expect(eventsIn(worldOf({ queues: [queue] }))).toEqual([]);
  });

  it('a restarted operator does not emit the Paused event again', () => {
    const rest = atRest(edited(ready, paused));
    const restarted = { ...rest, epoch: 'leader-2', remembered: nothingRemembered };
    expect(decideQueues(restarted, NOW).steps).toEqual([]);
  });

  it('refused writes during a pause cause neither a Resumed nor another Paused event', () => {
    const rest = atRest(edited(ready, paused));
    const during = { ...rest, refused };
    expect(eventsIn(during)).toMatchObject([{ reason: 'WriteRefused' }]);
    const after = { ...carriedOut(during, decideQueues(during, NOW)), refused: undefined };
    expect(conditionIn(after, 'Paused')).toMatchObject({ status: 'True' });
    expect(eventsIn(after)).toEqual([]);
  });

  it('a queue whose spec becomes invalid emits no Resumed event', () => {
    const unreadable: SwarmQueue = { ...paused, spec: { ok: false, problems: [] } };
    const world = edited(atRest(edited(ready, paused)), unreadable);
    expect(eventsIn(world)).toMatchObject([{ reason: 'InvalidSpec' }]);
    expect(conditionIn(atRest(world), 'Paused')).toMatchObject({ status: 'Unknown' });
  });

  it('a pause is reported even if decisions about the namespace fail', () => {
    const { steps } = decideFailed(edited(ready, paused).queues, refused, NOW);
    expect(steps).toMatchObject([
      {
        do: 'status',
        status: {
          conditions: expect.arrayContaining(
            [{ type: 'Paused' }].map((it) => expect.objectContaining({ ...it, status: 'True' })),
          ),
        },
      },
      { do: 'event', event: { type: 'Warning', reason: 'DecisionFailed' } },
      { do: 'event', event: { reason: 'Paused' } },
    ]);
  });
});
