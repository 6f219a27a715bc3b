// When does a command that waits until all is Ready give up, and what does it say before?
import { describe, expect, it } from '@jest/globals';
import { UntilReady } from '../../../../src/cli/cluster/until-ready.ts';
import type { Stated } from '../../../../src/cli/views/state.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { condition, ready, swarmGroup } from '../group-object.ts';

const HOUR = 3_600_000;
const busy = swarmGroup({
  status: { conditions: [condition('Ready', 'False', 'Converging', '1 of 2')] },
});
const stalled = swarmGroup({
  status: {
    conditions: [
      condition('Ready', 'False', 'TargetNotFound', 'no Deployment web'),
      condition('Stalled', 'True', 'TargetNotFound', 'no Deployment web'),
    ],
  },
});
const changed = swarmGroup({ generation: 2, status: { conditions: [ready] } });
const paused = (object: Partial<Parameters<typeof swarmGroup>[0]> = {}): Stated =>
  swarmGroup({
    ...object,
    spec: { paused: true },
    status: { conditions: [condition('Ready', 'False', 'Paused', 'paused')] },
  });

/** What the command sees, one second after the other. */
async function ended(...seen: readonly (readonly Stated[])[]) {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const ends: string[] = [];
  const wait = new UntilReady(
    { kind: 'SwarmGroup', timeoutMs: 600_000, clock, note: (line) => void notes.push(line) },
    (why) => void ends.push(`${clock.monotonic() / 1_000}s ${why ?? 'ready'}`),
  );
  for (const objects of seen) {
    await clock.advance(1_000);
    wait.onObjects(objects);
  }
  await clock.advance(HOUR);
  wait.end();
  expect(clock.pending).toBe(0);
  return { notes, ends };
}

const LATE = '600s after 10m (--timeout) still waiting for';

describe('status --watch --until-ready', () => {
  it.each<[string, readonly (readonly Stated[])[], string]>([
    ['ends when all is Ready', [[busy], [swarmGroup()]], '2s ready'],
    [
      'gives up soon while an object is paused',
      [[paused()]],
      '3s SwarmGroup swarm/shop cannot become Ready while it is paused',
    ],
    [
      'gives up soon, with the reason, while an object is Stalled',
      [[stalled]],
      '3s SwarmGroup swarm/shop cannot become Ready until a user acts: TargetNotFound: no Deployment web',
    ],
    [
      'gives up for one of several',
      [[busy, paused({ name: 'cart' })]],
      '3s SwarmGroup swarm/cart cannot become Ready while it is paused',
    ],
    ['goes on when an object is Stalled for a moment', [[stalled], [swarmGroup()]], '2s ready'],
    [
      'gives up after its bound where no operator has reconciled the object',
      [[swarmGroup({ status: undefined })]],
      `${LATE} SwarmGroup swarm/shop to become Ready; its state is Unknown: no operator has reconciled it yet`,
    ],
    [
      'gives up after its bound where no operator reconciles a change',
      [[changed]],
      `${LATE} SwarmGroup swarm/shop to become Ready; its state is Changed: the operator has not reconciled the change yet`,
    ],
    [
      'names the first of several and counts the others',
      [[swarmGroup(), busy, busy]],
      `${LATE} SwarmGroup swarm/shop (and 1 more) to become Ready; its state is Converging: 1 of 2`,
    ],
    [
      'gives up after its bound where no object is left',
      [[]],
      `${LATE} a SwarmGroup; there is none`,
    ],
    [
      'gives up after its bound where nothing can be read',
      [],
      `${LATE} the SwarmGroups to be read`,
    ],
  ])('%s', async (_, seen, end) => expect((await ended(...seen)).ends).toEqual([end]));

  it('says meanwhile what it waits for', async () => {
    expect((await ended([busy])).notes[0]).toBe(
      'waiting for SwarmGroup swarm/shop to become Ready; its state is Converging: 1 of 2 (10s of at most 10m)',
    );
  });
});
