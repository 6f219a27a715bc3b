// Does a command that follows changes survive passing errors, and end with lasting ones?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { lookAtChanges } from '../../../../src/cli/cluster/changes.ts';
import { changedAt } from '../../../../src/cli/cluster/follow-stream.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { configMap, gathered, tv, workers } from '../../pool/observe/gathering.ts';

async function lookWith(failures: readonly Error[]) {
  const api = new MemoryApi(new VirtualClock());
  api.store.put(kinds.ConfigMap, { namespace: 'n', name: 'a' });
  const ended = new AbortController();
  const problems: string[] = [];
  const left = [...failures];
  const look = (): Promise<void> => {
    const failure = left.shift();
    if (failure !== undefined) return Promise.reject(failure);
    ended.abort();
    return Promise.resolve();
  };
  const terminal = { problem: (text: string) => void problems.push(text) };
  await lookAtChanges(api, { kind: kinds.ConfigMap }, look, ended, terminal);
  return problems;
}

describe('a look that fails', () => {
  it('a command that follows changes reports a broken connection, and reads again', async () => {
    expect(await lookWith([new KubeError('Unreachable', 'the other side closed')])).toEqual([
      'the other side closed',
    ]);
  });

  it('a command that follows changes ends after an error that no retry helps', async () => {
    await expect(lookWith([new KubeError('Forbidden', 'no right')])).rejects.toThrow('no right');
  });
});

it('swarmctl reads the log of the next worker from the first change that it has not seen', async () => {
  const change = (version: number, time: string) => ({
    version,
    moves: 1,
    reason: 'WorkersLeft',
    time,
  });
  const note = {
    ...change(4, '2026-01-01T00:01:00Z'),
    earlier: [change(3, '2026-01-01T00:00:30Z'), change(2, '2026-01-01T00:00:00Z')],
  };
  const text = 'workloads: {worker-0: {jobs: [a]}}\nversion: 4';
  const metadata = {
    labels: { 'k8slab.info/pool': 'tv' },
    annotations: { 'k8slab.info/change': JSON.stringify(note) },
  };
  const world = await gathered([
    tv({ streams: [{ name: 'a' }] }),
    workers(1),
    configMap('tv-assignments', { 'config.yml': text }, metadata),
  ]);
  expect(new Date(changedAt(world, 2)).toISOString()).toBe('2026-01-01T00:00:30.000Z');
  expect(new Date(changedAt(world, 3)).toISOString()).toBe('2026-01-01T00:01:00.000Z');
  expect(changedAt(world, 4)).toBeGreaterThan(Date.parse('2026-06-01T00:00:00Z'));
});
