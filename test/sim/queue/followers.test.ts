// Does the simulation report a follower of a gang that goes on after its leader?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ApiServer } from '../cluster/api-server.ts';
import { Random } from '../random.ts';
import type { Violation } from '../world.ts';
import { Gangs } from './cluster/gangs.ts';
import { podOf } from './cluster/missing-pods.ts';
import { addressOf, RankNodes } from './cluster/ranks.ts';
import { argsOf } from './work.ts';

const SECOND = 1_000;
/** Its leader has ended by then. */
const LEADER_ENDED_MS = 2 * SECOND;
/** The grace period, and the time in which the followers are told to end. */
const ENDS_WITHIN_MS = 12 * SECOND;

/** The word of the start script that follows its path. */
const scriptWord = { Leader: '0', None: 'all' } as const;

/** Of two ranks; rank 0 ends after a second. */
function gang(launcher: keyof typeof scriptWord) {
  const clock = new VirtualClock();
  const server = new ApiServer(clock);
  const violations: Violation[] = [];
  const gangs = new Gangs((violation) => violations.push(violation), addressOf);
  const nodes = new RankNodes({ clock, server, random: new Random(1) }, gangs, 9, 1);
  const command = ['/bin/sh', '/etc/swarm/start', scriptWord[launcher], 'run'];
  const [, follower] = [{ forMs: SECOND }, {}].map((work, rank) => {
    const containers = [{ name: 'main', command, args: argsOf(work) }];
    const spec = { terminationGracePeriodSeconds: 4, containers };
    const metadata = { name: 'sim', namespace: 'hpc', uid: 'uid-sim' };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: { spec } } };
    return server.create(kinds.Pod, podOf(job, rank, 7));
  });
  return { clock, server, nodes, violations, follower: follower as KubeObject };
}

const survives: Violation = { oracle: 'follower', message: 'sim-1-7 goes on without sim-0-7' };

describe('a follower of a gang', () => {
  it('a follower that never ends after its leader is a violation, once its time is over', async () => {
    const { clock, violations } = gang('Leader');
    await clock.advance(ENDS_WITHIN_MS);
    expect(violations).toEqual([]);
    await clock.advance(LEADER_ENDED_MS);
    expect(violations).toEqual([survives]);
    await clock.advance(ENDS_WITHIN_MS);
    expect(violations).toEqual([survives]);
  });

  it('a follower that is deleted after its leader has ended is no violation', async () => {
    const { clock, server, violations, follower } = gang('Leader');
    await clock.advance(LEADER_ENDED_MS);
    server.remove(kinds.Pod, follower.metadata);
    await clock.advance(2 * ENDS_WITHIN_MS);
    expect(violations).toEqual([]);
  });

  it.each<[string, (it: ReturnType<typeof gang>, isCut: boolean) => void]>([
    [
      'the API server is down',
      ({ server }, isCut) => {
        server.isDown = isCut;
      },
    ],
    [
      'its node is down',
      ({ nodes }, isCut) => {
        for (const node of nodes.nodes) node.isUp = !isCut;
      },
    ],
  ])('a follower gets its whole time again after a time in which %s', async (_, cut) => {
    const it = gang('Leader');
    await it.clock.advance(LEADER_ENDED_MS);
    cut(it, true);
    await it.clock.advance(2 * ENDS_WITHIN_MS);
    cut(it, false);
    await it.clock.advance(ENDS_WITHIN_MS - SECOND);
    expect(it.violations).toEqual([]);
    await it.clock.advance(2 * SECOND);
    expect(it.violations).toEqual([survives]);
  });

  it('a gang without a leader has no follower', async () => {
    const { clock, violations } = gang('None');
    await clock.advance(3 * ENDS_WITHIN_MS);
    expect(violations).toEqual([]);
  });
});
