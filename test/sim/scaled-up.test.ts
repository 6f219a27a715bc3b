// Does the oracle blame an operator for what it was told of a Job that was scaled up, and for
// nothing else?
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../src/api/objects.ts';
import { ScaledUp } from './queue/oracle/scaled-up.ts';
import { usageIn } from './queue/oracle/scene.ts';

const MADE = 10;
const SCALED = 20;
const NOW = 100;

const job = (resourceVersion: string, parallelism: number, suspend = false): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'night', namespace: 'hpc', uid: 'uid-night', resourceVersion },
  spec: { parallelism, completions: 9, suspend },
});
const podOf = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'hpc', uid: `uid-${name}`, resourceVersion: '7' },
  spec: {},
});
const pods = ['night-1', 'night-2', 'night-3'].map((name) => ({
  ...{ name, queue: 'batch', jobUid: 'uid-night', batchUid: 'uid-night', isTerminating: false },
  requests: { pods: 1000 },
}));
const entry = {
  ...{ uid: 'uid-night', name: 'night', queue: 'batch', size: 2, grant: 2 },
  requests: { pods: 2000 },
};

/** In whole pods: admitted for two, it was scaled up, and three of its pods live. */
function counted(
  tells: (tell: (object: KubeObject, atMs?: number, identity?: string) => void) => void,
  { size = 3, living = pods } = {},
): number {
  let now = MADE;
  const scaledUp = new ScaledUp(() => now);
  scaledUp.tell('a-1', job('5', 2));
  scaledUp.note(job('9', size));
  tells((object, atMs = SCALED, identity = 'a-1') => {
    now = atMs;
    scaledUp.tell(identity, object);
  });
  const known = { entries: [entry], pods: living };
  const told = scaledUp.asTold({ identity: 'a-1', atMs: NOW }, known);
  return (usageIn(told.entries, told.pods)['batch']?.['pods'] ?? 0) / 1000;
}

describe('a Job that its user scaled up, as the oracle counts it at an admission', () => {
  it('a scaled-up Job counts as it was admitted as long as its operator was told nothing', () => {
    expect(counted(() => undefined)).toBe(2);
    expect(counted((tell) => tell(podOf('night-1')))).toBe(2);
  });

  it('a scaled-up Job counts with its new size once its operator was told of it, also before it has the pods', () => {
    expect(counted((tell) => tell(job('9', 3)))).toBe(3);
    expect(counted((tell) => tell(job('9', 4)), { size: 4, living: [] })).toBe(4);
  });

  it('a scaled-up Job counts with the pods that its operator was told of', () => {
    const ofPods = (tell: (object: KubeObject) => void): void => {
      for (const { name } of pods) tell(podOf(name));
    };
    expect(counted(ofPods)).toBe(3);
  });

  it('a scaled-up Job counts as it was admitted if another process was told, or the operator too late', () => {
    expect(counted((tell) => tell(job('9', 3), SCALED, 'b-1'))).toBe(2);
    expect(counted((tell) => tell(job('9', 3), NOW))).toBe(2);
  });

  it('an older state that is told later takes nothing back', () => {
    const late = (tell: (object: KubeObject) => void): void => {
      tell(job('9', 3));
      tell(job('5', 2));
    };
    expect(counted(late)).toBe(3);
  });

  it('a scaled-up Job counts with its pods once its operator has suspended it', () => {
    const suspended = (tell: (object: KubeObject) => void): void => tell(job('10', 3, true));
    expect(counted(suspended)).toBe(3);
    expect(counted(suspended, { living: [] })).toBe(2);
  });

  it('a Job counts with all of its pods if its user did not scale it up', () =>
    expect(counted(() => undefined, { size: 2 })).toBe(3));
});
