// Builders of pods for tests.
import type { KubeObject } from '../../../../src/api/objects.ts';
import type {
  ContainerFacts,
  ContainerState,
} from '../../../../src/playground/node/pods/actions.ts';
import { untouched } from '../../../../src/playground/node/pods/actions.ts';
import { type NodePod, readPod } from '../../../../src/playground/node/pods/pod-spec.ts';

export const podObject = (
  spec: object = {},
  rest: object = {},
  metadata: object = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'tv', uid: 'u1', ...metadata },
  spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
  ...rest,
});

export const pod = (spec: object = {}, rest: object = {}, metadata: object = {}): NodePod =>
  readPod(podObject(spec, rest, metadata));

export const named = (name: string, rest: object = {}): object => ({
  name,
  image: 'busybox',
  ...rest,
});

export const running = (
  more: Partial<Extract<ContainerState, { type: 'running' }>> = {},
): ContainerFacts => ({
  ...untouched,
  state: {
    type: 'running',
    id: 'playground://1',
    startedAt: 0,
    isStarted: true,
    isReady: true,
    ...more,
  },
});

export const exited = (exitCode: number, crashes = 1, endedAt = 0): ContainerFacts => ({
  ...untouched,
  state: {
    type: 'terminated',
    exitCode,
    signal: undefined,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    message: '',
    startedAt: 0,
    finishedAt: endedAt,
    id: 'playground://1',
  },
  crashes,
});
