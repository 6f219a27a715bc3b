import { describe, expect, it } from '@jest/globals';
import { asList, dig } from '../../../../src/api/objects.ts';
import { type ContainerFacts, untouched } from '../../../../src/playground/node/pods/actions.ts';
import {
  isWritten,
  type StatusInputs,
  statusOf,
} from '../../../../src/playground/node/pods/status.ts';
import { exited, named, pod, running } from './builders.ts';

function status(
  facts: Record<string, ContainerFacts>,
  more: Partial<StatusInputs> = {},
): Record<string, unknown> {
  return statusOf({
    pod: pod(),
    facts: new Map(Object.entries(facts)),
    now: 1_000_000,
    restartBaseMs: 10_000,
    hostIP: '127.0.0.1',
    podIP: '127.9.9.1',
    startedAt: 0,
    hasSandbox: true,
    isInitialized: true,
    isTerminating: false,
    outcome: undefined,
    blocked: undefined,
    ...more,
  });
}

const conditions = (given: Record<string, unknown>): string =>
  asList(given['conditions'])
    .map(
      (each) =>
        `${dig(each, 'type')}=${dig(each, 'status')}${dig(each, 'reason') === null ? '' : `(${dig(each, 'reason')})`}`,
    )
    .join(' ');
const main = (given: Record<string, unknown>): unknown => asList(given['containerStatuses'])[0];

describe('the phase', () => {
  it.each<[string, Record<string, ContainerFacts>, Partial<StatusInputs>, string]>([
    ['nothing has run yet', {}, {}, 'Pending'],
    ['init containers are at work', {}, { isInitialized: false }, 'Pending'],
    ['it runs', { main: running() }, {}, 'Running'],
    ['it waits for a restart', { main: exited(1, 3) }, {}, 'Running'],
    [
      'it waits for an image after a crash',
      { main: { ...untouched, last: lastOf(exited(1)) } },
      {},
      'Running',
    ],
    ['it is over', { main: exited(0) }, { outcome: { phase: 'Succeeded' } }, 'Succeeded'],
  ])('the phase of a pod is right when %s', (_, facts, more, phase) => {
    expect(status(facts, more)['phase']).toBe(phase);
  });
});

describe('the conditions', () => {
  it.each<[string, Record<string, ContainerFacts>, Partial<StatusInputs>, string]>([
    ['of a ready pod', { main: running() }, {}, 'ContainersReady=True Ready=True'],
    [
      'of an unready one',
      { main: running({ isReady: false }) },
      {},
      'ContainersReady=False(ContainersNotReady) Ready=False(ContainersNotReady)',
    ],
    [
      'of one that ends',
      { main: running() },
      { isTerminating: true },
      'ContainersReady=False(ContainersNotReady) Ready=False(ContainersNotReady)',
    ],
    [
      'of one that is over',
      { main: exited(0) },
      { outcome: { phase: 'Succeeded' } },
      'ContainersReady=False(PodCompleted) Ready=False(PodCompleted)',
    ],
    [
      'with a gate that is closed',
      { main: running() },
      { pod: pod({ readinessGates: [{ conditionType: 'x' }] }) },
      'ContainersReady=True Ready=False(ReadinessGatesNotReady)',
    ],
    [
      'with a gate that is open',
      { main: running() },
      { pod: gateOpen() },
      'ContainersReady=True Ready=True',
    ],
  ])('the conditions %s are right', (_, facts, more, wanted) => {
    expect(conditions(status(facts, more))).toContain(wanted);
  });

  it('conditions keep their transition time while their status stays', () => {
    const before = {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    };
    const list = asList(
      status({ main: running() }, { pod: pod({}, { status: before }) })['conditions'],
    );
    expect(list.find((each) => dig(each, 'type') === 'Ready')).toMatchObject({
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    expect(list.find((each) => dig(each, 'type') === 'Initialized')).toMatchObject({
      lastTransitionTime: '1970-01-01T00:16:40Z',
    });
  });
});

describe('a container', () => {
  it.each<[string, ContainerFacts, Partial<StatusInputs>, object]>([
    [
      'is created',
      untouched,
      {},
      { state: { waiting: { reason: 'ContainerCreating' } }, ready: false, restartCount: 0 },
    ],
    [
      'waits for the init containers',
      untouched,
      { pod: pod({ initContainers: [named('first')] }), isInitialized: false },
      { state: { waiting: { reason: 'PodInitializing' } } },
    ],
    [
      'cannot be created',
      untouched,
      { blocked: { reason: 'NotSupported', message: 'why' } },
      { state: { waiting: { reason: 'NotSupported', message: 'why' } } },
    ],
    [
      'runs',
      running(),
      {},
      {
        state: { running: { startedAt: '1970-01-01T00:00:00Z' } },
        ready: true,
        started: true,
        lastState: {},
      },
    ],
    [
      'waits for its restart',
      exited(3, 9, 999_000),
      {},
      {
        state: {
          waiting: {
            reason: 'CrashLoopBackOff',
            message: 'back-off 300s restarting failed container=main pod=web-0_tv(u1)',
          },
        },
        lastState: { terminated: { exitCode: 3 } },
      },
    ],
    [
      'has ended for good',
      exited(3),
      { pod: pod({ restartPolicy: 'Never' }) },
      { state: { terminated: { exitCode: 3, reason: 'Error' } }, lastState: {} },
    ],
    [
      'does not back off from its end',
      exited(143, 9, 999_000),
      { isTerminating: true },
      { state: { terminated: { exitCode: 143 } } },
    ],
  ])('a container %s', (_, facts, more, wanted) => {
    expect(main(status({ main: facts }, more))).toMatchObject(wanted);
  });
});

describe('isWritten', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['the same', { phase: 'Running' }, { phase: 'Running' }, true],
    ['more than ours', { phase: 'Running', qosClass: 'Burstable' }, { phase: 'Running' }, true],
    ['null where nothing is', {}, { reason: null }, true],
    ['null where something is', { reason: 'x' }, { reason: null }, false],
    [
      'a condition among others, in any order',
      {
        c: [
          { type: 'B', status: 'x' },
          { type: 'A', status: 'True' },
        ],
      },
      { c: [{ type: 'A', status: 'True' }] },
      true,
    ],
    [
      'a condition that says otherwise',
      { c: [{ type: 'A', status: 'False' }] },
      { c: [{ type: 'A', status: 'True' }] },
      false,
    ],
    [
      'another number of containers',
      { c: [{ name: 'a' }] },
      { c: [{ name: 'a' }, { name: 'b' }] },
      false,
    ],
  ])('isWritten compares what is there with what is wanted: %s', (_, actual, wanted, expected) => {
    expect(isWritten(actual, wanted)).toBe(expected);
  });
});

function lastOf({ state }: ContainerFacts) {
  return state.type === 'terminated' ? state : undefined;
}

function gateOpen() {
  return pod(
    { readinessGates: [{ conditionType: 'x' }] },
    { status: { conditions: [{ type: 'x', status: 'True' }] } },
  );
}
