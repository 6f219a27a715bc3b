import { describe, expect, it } from '@jest/globals';
import {
  type ContainerFacts,
  planOf,
  untouched,
} from '../../../../src/playground/node/pods/plan.ts';
import { afterExit, backoffMs } from '../../../../src/playground/node/pods/restart.ts';
import { exited, named, pod, running } from './builders.ts';

const BASE = 10_000;

type Row = {
  spec?: object;
  facts: Record<string, ContainerFacts>;
  now?: number;
  steps: readonly string[];
  wakeAt?: number;
  outcome?: string;
  isInitialized?: boolean;
};

const init = { initContainers: [named('first'), named('second')] };
const sidecar = { initContainers: [named('side', { restartPolicy: 'Always' }), named('first')] };
const never = { restartPolicy: 'Never' };

const rows: Record<string, Row> = {
  'a new pod starts its container': { facts: {}, steps: ['start main'] },
  'a running pod is left alone': { facts: { main: running() }, steps: [] },
  'the first crash is restarted at once': { facts: { main: exited(1) }, steps: ['start main'] },
  'the second waits': { facts: { main: exited(1, 2) }, steps: [], wakeAt: 10_000 },
  'until its time has come': { facts: { main: exited(1, 2) }, now: 10_000, steps: ['start main'] },
  'Always restarts success too': { facts: { main: exited(0) }, steps: ['start main'] },
  'OnFailure does not': {
    spec: { restartPolicy: 'OnFailure' },
    facts: { main: exited(0) },
    steps: [],
    outcome: 'Succeeded',
  },
  'OnFailure restarts a failure': {
    spec: { restartPolicy: 'OnFailure' },
    facts: { main: exited(1) },
    steps: ['start main'],
  },
  'Never makes a failure final': {
    spec: never,
    facts: { main: exited(1) },
    steps: [],
    outcome: 'Failed',
  },
  'a refused container waits for its next attempt': {
    facts: {
      main: {
        ...untouched,
        state: { type: 'waiting', reason: 'ErrImagePull', message: '', retryAt: 500 },
      },
    },
    steps: [],
    wakeAt: 500,
  },
  'the first init container comes first': {
    spec: init,
    facts: {},
    steps: ['start first'],
    isInitialized: false,
  },
  'the second waits for it': {
    spec: init,
    facts: { first: running() },
    steps: [],
    isInitialized: false,
  },
  'and then comes': {
    spec: init,
    facts: { first: exited(0) },
    steps: ['start second'],
    isInitialized: false,
  },
  'and the main one at the end': {
    spec: init,
    facts: { first: exited(0), second: exited(0) },
    steps: ['start main'],
  },
  'a failed init container is tried again': {
    spec: init,
    facts: { first: exited(1) },
    steps: ['start first'],
    isInitialized: false,
  },
  'unless the policy is Never': {
    spec: { ...init, ...never },
    facts: { first: exited(1) },
    steps: [],
    outcome: 'Failed',
    isInitialized: false,
  },
  'init containers are not run again after a main one has run': {
    spec: init,
    facts: { main: exited(1) },
    steps: ['start main'],
  },
  'what follows a sidecar waits for its start': {
    spec: sidecar,
    facts: { side: running({ isStarted: false }) },
    steps: [],
    isInitialized: false,
  },
  'not for its end': {
    spec: sidecar,
    facts: { side: running() },
    steps: ['start first'],
    isInitialized: false,
  },
  'a sidecar is restarted beside the main container': {
    spec: { ...sidecar, ...never },
    facts: { side: exited(1), main: running() },
    steps: ['start side'],
  },
  'and stopped after it': {
    spec: { ...sidecar, ...never },
    facts: { side: running(), main: exited(0) },
    steps: ['stop side'],
    outcome: 'Succeeded',
  },
};

describe('planOf', () => {
  it.each(Object.entries(rows))(
    '%s',
    (_, { spec, facts, now = 0, steps, wakeAt, outcome, isInitialized = true }) => {
      const plan = planOf(pod(spec), new Map(Object.entries(facts)), now, BASE);
      expect(plan.steps.map(({ type, container }) => `${type} ${container}`)).toEqual(steps);
      expect(plan).toMatchObject({ wakeAt, outcome, isInitialized });
    },
  );
});

describe('the back-off', () => {
  it('doubles from the second crash on, up to five minutes', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 20].map((crashes) => backoffMs(crashes, BASE) / 1000);
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it.each([
    ['counts crashes in a row', 3, 60_000, 4],
    ['forgets them after ten minutes of running', 3, 600_001, 1],
    ['begins with one', 0, 0, 1],
  ] as const)('%s', (_, previous, ranMs, crashes) => {
    expect(afterExit(previous, ranMs, BASE)).toBe(crashes);
  });
});
