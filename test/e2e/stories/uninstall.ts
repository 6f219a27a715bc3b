// Do objects stay behind when all of it is deleted, operator and CRDs first?

import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { note, seconds } from '../figures.ts';
import type { World } from '../world.ts';

export function uninstall(world: () => World): void {
  it('workers go on when the operator and its CRD are deleted', async () => {
    const pool = world().poolIn('swarm');
    const before = await pool.running();
    const start = performance.now();
    await world().kubectl('delete', '-k', 'envs/dev', '--timeout=240s');
    note({
      name: 'uninstall: kubectl delete -k envs/dev, pools still there',
      value: seconds(secondsSince(start)),
    });
    expect(await pool.running()).toEqual(before);
  });

  it('no object is left after the uninstallation', async () => {
    await world()
      .kubectl('delete', '-k', 'samples/tv', '--ignore-not-found', '--timeout=240s')
      .catch(noKind);
    await world().goneNamespaces();
    expect(await world().inventory()).toEqual(world().bare);
  });
}

/**
 * Without the CRD kubectl does not know SwarmPools, and reports that at the end; it has deleted all
 * other objects.
 */
function noKind(error: unknown): void {
  if (!String(error).includes('no matches for kind "SwarmPool"')) throw error;
}
