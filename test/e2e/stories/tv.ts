// Does the sample do what README says, and follow when it is scaled?

import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { asList, dig } from '../../../src/api/objects.ts';
import { note, seconds } from '../figures.ts';
import type { World } from '../world.ts';

const streams = asList(
  dig(load(readFileSync('samples/tv/pool.yaml', 'utf8')), 'spec', 'streams'),
).map((stream) => String(dig(stream, 'name')));

export function tv(world: () => World): void {
  it('samples/tv converges: one of 3 workers runs each of 27 streams', async () => {
    const start = performance.now();
    await world().kubectl('apply', '-k', 'samples/tv');
    await world().kubectl(
      '-n',
      'swarm',
      'wait',
      '--for=condition=Converged',
      'swarmpool/tv',
      '--timeout=180s',
    );
    note({
      name: 'samples/tv: applied until Converged, pods started',
      value: seconds(secondsSince(start)),
    });
    const status = await world().poolIn('swarm').converged(streams, 3);
    expect(status).toMatchObject({ version: 1, target: 'StatefulSet/swarm-worker' });
  });

  it('samples/tv loses and doubles no stream from 3 workers to 5, to 2, to none and back', async () => {
    const pool = world().poolIn('swarm');
    const scale = (replicas: number): Promise<string> =>
      world().kubectl('-n', 'swarm', 'scale', 'statefulset/swarm-worker', `--replicas=${replicas}`);
    let version = 1;
    for (const workers of [5, 2]) {
      await scale(workers);
      const status = await pool.converged(streams, workers, 180);
      expect(status.version).toBeGreaterThan(version);
      version = status.version ?? 0;
    }
    await scale(0);
    await pool.until(
      'has no worker',
      ({ streams: count, replicas }) => replicas === 0 && count?.unassigned === streams.length,
      180,
    );
    await scale(3);
    await pool.converged(streams, 3, 180);
  });
}
