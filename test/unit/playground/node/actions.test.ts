import { describe, expect, it } from '@jest/globals';
import {
  afterExit,
  backoffMs,
  type ContainerFacts,
  computePodActions,
  untouched,
} from '../../../../src/playground/node/pods/actions.ts';
import { exited, named, pod, running } from './builders.ts';

const BASE = 10_000;

type Row = {
  spec?: object;
  facts: Record<string, ContainerFacts>;
  now?: number;
  actions: readonly string[];
  wakeAt?: number;
  outcome?: string;
  isInitialized?: boolean;
};

const init = { initContainers: [named('first'), named('second')] };
const sidecar = { initContainers: [named('side', { restartPolicy: 'Always' }), named('first')] };
const never = { restartPolicy: 'Never' };

const rows: Record<string, Row> = {
  'a new pod starts its container': { facts: {}, actions: ['start main'] },
  'a running pod is left alone': { facts: { main: running() }, actions: [] },
  'the first crash is restarted at once': { facts: { main: exited(1) }, actions: ['start main'] },
  'the second crash waits for the back-off': {
    facts: { main: exited(1, 2) },
    actions: [],
    wakeAt: 10_000,
  },
  'the second crash is restarted after the back-off': {
    facts: { main: exited(1, 2) },
    now: 10_000,
    actions: ['start main'],
  },
  'Always restarts success too': { facts: { main: exited(0) }, actions: ['start main'] },
  'OnFailure does not restart success': {
    spec: { restartPolicy: 'OnFailure' },
    facts: { main: exited(0) },
    actions: [],
    outcome: 'Succeeded',
  },
  'OnFailure restarts a failure': {
    spec: { restartPolicy: 'OnFailure' },
    facts: { main: exited(1) },
    actions: ['start main'],
  },
  'Never makes a failure final': {
    spec: never,
    facts: { main: exited(1) },
    actions: [],
    outcome: 'Failed',
  },
  'a refused container waits for its next attempt': {
    facts: {
      main: {
        ...untouched,
        state: { type: 'waiting', reason: 'ErrImagePull', message: '', retryAt: 500 },
      },
    },
    actions: [],
    wakeAt: 500,
  },
  'the first init container comes first': {
    spec: init,
    facts: {},
    actions: ['start first'],
    isInitialized: false,
  },
  'the second init container waits for the first': {
    spec: init,
    facts: { first: running() },
    actions: [],
    isInitialized: false,
  },
  'the second init container follows the first': {
    spec: init,
    facts: { first: exited(0) },
    actions: ['start second'],
    isInitialized: false,
  },
  'the main container follows the init containers': {
    spec: init,
    facts: { first: exited(0), second: exited(0) },
    actions: ['start main'],
  },
  'a failed init container is tried again': {
    spec: init,
    facts: { first: exited(1) },
    actions: ['start first'],
    isInitialized: false,
  },
  'a failed init container is not tried again with policy Never': {
    spec: { ...init, ...never },
    facts: { first: exited(1) },
    actions: [],
    outcome: 'Failed',
    isInitialized: false,
  },
  'init containers are not run again after a main one has run': {
    spec: init,
    facts: { main: exited(1) },
    actions: ['start main'],
  },
  'an init container after a sidecar waits until that has started': {
    spec: sidecar,
    facts: { side: running({ isStarted: false }) },
    actions: [],
    isInitialized: false,
  },
  'an init container after a sidecar does not wait for its end': {
    spec: sidecar,
    facts: { side: running() },
    actions: ['start first'],
    isInitialized: false,
  },
  'a sidecar is restarted beside the main container': {
    spec: { ...sidecar, ...never },
    facts: { side: exited(1), main: running() },
    actions: ['start side'],
  },
  'a sidecar is stopped after the main container': {
    spec: { ...sidecar, ...never },
    facts: { side: running(), main: exited(0) },
    actions: ['stop side'],
    outcome: 'Succeeded',
  },
};

describe('computePodActions', () => {
  it.each(Object.entries(rows))(
    'computePodActions: %s',
    (_, { spec, facts, now = 0, actions, wakeAt, outcome, isInitialized = true }) => {
      const plan = computePodActions(pod(spec), new Map(Object.entries(facts)), now, BASE);
      expect(plan.actions.map(({ type, container }) => `${type} ${container}`)).toEqual(actions);
      expect(plan).toMatchObject({ wakeAt, outcome, isInitialized });
    },
  );
});

describe('the back-off', () => {
  it('the back-off doubles from the second crash on, up to five minutes', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 20].map((crashes) => backoffMs(crashes, BASE) / 1000);
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it.each([
    ['counts crashes in a row', 3, 60_000, 4],
    ['forgets them after ten minutes of running', 3, 600_001, 1],
    ['begins with one', 0, 0, 1],
  ] as const)('the back-off %s', (_, previous, ranMs, crashes) => {
    expect(afterExit(previous, ranMs, BASE)).toBe(crashes);
  });
});
