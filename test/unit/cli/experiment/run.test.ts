// Does an experiment lead a group through its sizes, and give it back as it was, whatever happens?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import type { Experiment } from '../../../../src/cli/experiment/run.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { condition, groupObject, ready } from '../group-object.ts';
import { reached, TAKES_MS, timedOut } from './fake-operator.ts';
import { ref, Stage, short } from './stage.ts';

const asFound = [1, 'Staged'];

describe('an experiment', () => {
  it('an experiment goes through its sizes in each order, and records each round but the warm-up', async () => {
    const stage = new Stage({
      sizes: [1, 3, 2],
      orders: ['Together', 'Staged'],
      repeat: 2,
      warmUp: 1,
    }).begin();
    expect(await stage.end()).toBe(true);
    const round = (order: string, repeat: number): readonly string[] => [
      `shop,1,3,${order},${repeat},Deployment/web,30,3000,3000`,
      `shop,3,2,${order},${repeat},Deployment/web,20,2000,2000`,
      `shop,2,1,${order},${repeat},Deployment/web,10,1000,1000`,
    ];
    expect(stage.csv).toEqual([
      ...round('Together', 1),
      ...round('Together', 2),
      ...round('Staged', 1),
      ...round('Staged', 2),
    ]);
    expect(stage.told.slice(0, 5)).toEqual([
      'shop: 18 transitions, starting from size 1, order Staged',
      'shop: [1/18] Together, warm-up: 1 -> 3 took 3.0 s',
      'shop: [2/18] Together, warm-up: 3 -> 2 took 2.0 s',
      'shop: [3/18] Together, warm-up: 2 -> 1 took 1.0 s',
      'shop: [4/18] Together, round 1: 1 -> 3 took 3.0 s',
    ]);
    expect(stage.told.at(-1)).toBe('shop: restored to size 1, order Staged');
    expect(stage.held).toEqual(asFound);
  });

  it('an experiment scales by the scale subresource, each time on the version that it has just read', async () => {
    const stage = new Stage().begin();
    await stage.end();
    const { writes } = stage.api;
    expect(writes.map(({ verb, subresource }) => [verb, subresource])).toEqual([
      ['patch', 'scale'],
      ['patch', 'scale'],
      ['patch', 'scale'],
    ]);
    expect(writes.map(({ body }) => dig(body, 'spec', 'replicas'))).toEqual([3, 2, 1]);
    for (const { body } of writes)
      expect(dig(body, 'metadata')).toEqual({
        uid: 'uid-1',
        resourceVersion: expect.stringMatching(/^\d+$/),
      });
  });

  it('an experiment first brings a group of another size to the first of its sizes', async () => {
    const stage = new Stage({ ...short, sizes: [4, 5] }).begin();
    expect(await stage.end()).toBe(true);
    expect(stage.csv.map((line) => line.slice(0, 8))).toEqual(['shop,4,5', 'shop,5,4']);
    expect(stage.held).toEqual(asFound);
  });

  it('an experiment leaves empty what was not measured', async () => {
    const stage = new Stage(short, (to) => ({
      state: 'Completed',
      conditions: [ready],
      ...(to === 1 && reached(1)),
    })).begin();
    expect(await stage.end()).toBe(true);
    expect(stage.csv).toEqual([
      'shop,1,3,Staged,1,Deployment/web,,,',
      'shop,3,2,Staged,1,Deployment/web,,,',
      'shop,2,1,Staged,1,Deployment/web,10,1000,1000',
    ]);
    expect(stage.told[1]).toBe('shop: [1/3] Staged, round 1: 1 -> 3 was not measured');
  });

  it('an experiment records a transition that fails, stops, and puts the group back', async () => {
    const stage = new Stage(short, (to) => (to === 2 ? timedOut(2) : reached(to))).begin();
    expect(await stage.end()).toBe(false);
    expect(stage.csv).toEqual([
      'shop,1,3,Staged,1,Deployment/web,30,3000,3000',
      'shop,3,2,Staged,1,Deployment/web,7,,',
    ]);
    expect(stage.told.slice(-2)).toEqual([
      'shop: stopped: [2/3] Staged, round 1: 3 -> 2 failed: TimedOut: TransitionTimedOut: size 2 was not reached',
      'shop: restored to size 1, order Staged',
    ]);
    expect(stage.held).toEqual(asFound);
  });
});

/** Twice 300 s of the group, and 60 s. */
const BOUND_MS = 660_000;
const LATE =
  "after 11m (--timeout plus twice the group's transition.timeoutSeconds) still waiting for";

describe('an experiment waits up to a bound', () => {
  it('an experiment for which no operator runs says so, ends at its bound, and puts the group back', async () => {
    const stage = new Stage(short, () => undefined).begin();
    await stage.clock.advance(31_000);
    const what = 'an operator to reconcile the group';
    expect(stage.told.slice(1)).toEqual([
      `shop: waiting for ${what} (10s of at most 11m)`,
      `shop: waiting for ${what} (30s of at most 11m)`,
    ]);
    await stage.clock.advance(BOUND_MS - 31_000 - 1);
    expect(stage.held).toEqual([3, 'Staged']);
    await stage.clock.advance(1);
    expect(await stage.end()).toBe(false);
    expect(stage.told.slice(-2)).toEqual([
      `shop: stopped: [1/3] Staged, round 1: 1 -> 3 failed: ${LATE} ${what}`,
      'shop: restored to size 1, order Staged; its members may still be scaling',
    ]);
    expect(stage.held).toEqual(asFound);
    expect([stage.trial.isLate, stage.clock.pending]).toEqual([true, 0]);
  });

  it('an experiment whose operator ends keeps what it has measured', async () => {
    const stage = new Stage(short, (to) => (to === 2 ? undefined : reached(to))).begin();
    await stage.clock.advance(BOUND_MS + 10_000);
    expect(await stage.end()).toBe(false);
    expect(stage.csv).toEqual(['shop,1,3,Staged,1,Deployment/web,30,3000,3000']);
    expect(stage.held).toEqual(asFound);
  });

  it('an experiment names the state of a group that does not reach a size', async () => {
    const stage = new Stage(short, (to) => ({
      ...reached(to),
      ...(to === 3 && {
        state: 'Scaling',
        conditions: [condition('Ready', 'False', 'Working', 'web 1 of 3')],
      }),
    })).begin();
    await stage.clock.advance(BOUND_MS + 10);
    expect(await stage.end()).toBe(false);
    expect(stage.told).toContain(
      `shop: stopped: [1/3] Staged, round 1: 1 -> 3 failed: ${LATE} all members to be ready at size 3; its state is Working: web 1 of 3`,
    );
  });

  it('an experiment whose operator ends before the group is back says so, and fails', async () => {
    const stage = new Stage({ ...short, sizes: [4, 5] }, (to) =>
      to === 1 ? undefined : reached(to),
    ).begin();
    await stage.clock.advance(BOUND_MS + 20_000);
    expect(await stage.end()).toBe(false);
    expect(stage.csv).toHaveLength(2);
    expect(stage.told.slice(-2)).toEqual([
      expect.stringContaining(`shop: stopped: size 1, order Staged: ${LATE} an operator`),
      'shop: restored to size 1, order Staged; its members may still be scaling',
    ]);
    expect(stage.held).toEqual(asFound);
  });

  it('an experiment whose API server is gone says what it has not put back', async () => {
    const stage = new Stage(short).begin();
    await stage.under(3);
    stage.api.faults = {
      before: ({ verb }) => {
        if (verb !== 'watch') throw new KubeError('Unreachable', 'connection refused');
      },
    };
    await stage.clock.advance(BOUND_MS + 5_000);
    expect(stage.told).toContain(
      `shop: stopped: [2/3] Staged, round 1: 3 -> 2 failed: ${LATE} the API server to accept size 2, order Staged`,
    );
    await stage.clock.advance(60_000);
    expect(await stage.end()).toBe(false);
    expect(stage.told.at(-1)).toBe(
      'shop: not restored: spec.replicas is 3, and was 1 (after 60s (--timeout) still waiting for the API server to accept size 1, order Staged)',
    );
  });
});

describe('a change by another client', () => {
  const both: Experiment = { ...short, orders: ['Together'] };
  it.each<[what: string, edit: object, held: readonly unknown[], told: readonly string[]]>([
    [
      'of the size, which stays',
      { spec: { replicas: 7 } },
      [7, 'Staged'],
      [
        'shop: stopped: another client changed spec.replicas to 7 (the experiment had set 3)',
        'shop: spec.replicas stays 7, because another client set it',
      ],
    ],
    [
      'of another field',
      { spec: { memberDefaults: { ratio: 2 } } },
      asFound,
      [
        'shop: stopped: another client changed spec.memberDefaults',
        'shop: restored to size 1, order Staged; its members may still be scaling',
      ],
    ],
    [
      'by a pause',
      { metadata: { annotations: { 'k8slab.info/paused': 'true' } } },
      asFound,
      [
        'shop: stopped: another client paused it',
        'shop: restored to size 1, order Staged; its members may still be scaling',
      ],
    ],
  ])(
    'an experiment reports a change by another client %s, and ends',
    async (_, edit, held, told) => {
      const stage = new Stage(both).begin();
      await stage.under(3);
      stage.edit(edit);
      expect(await stage.end()).toBe(false);
      expect(stage.told.slice(-told.length)).toEqual(told);
      expect(stage.held).toEqual(held);
    },
  );

  it("an experiment keeps another client's size though a status write interferes when it puts the rest back", async () => {
    const stage = new Stage(both).begin();
    await stage.under(3);
    stage.edit({ spec: { replicas: 7 } });
    let conflicts = 0;
    stage.api.faults = {
      before: ({ verb }) => {
        if (verb !== 'patch' || conflicts === 1) return;
        conflicts += 1;
        stage.edit({ status: { desiredMembers: conflicts } });
      },
    };
    expect(await stage.end()).toBe(false);
    expect([conflicts, stage.held]).toEqual([1, [7, 'Staged']]);
  });

  it('an experiment ends when another client scales a member, and puts the group back', async () => {
    const conflict = condition(
      'Conflicted',
      'True',
      'AutoscalerConflict',
      'Deployment/web: an HPA',
    );
    const stage = new Stage(short, (to) => ({
      ...reached(to),
      ...(to === 3 && {
        conditions: [condition('Ready', 'False', 'AutoscalerConflict'), conflict],
      }),
    })).begin();
    expect(await stage.end()).toBe(false);
    expect(stage.told).toContain(
      'shop: stopped: [1/3] Staged, round 1: 1 -> 3: AutoscalerConflict: Deployment/web: an HPA',
    );
    expect(stage.csv).toEqual([]);
    expect(stage.held).toEqual(asFound);
  });

  it('an experiment ends when its group is deleted, and leaves a new group of the same name alone', async () => {
    const stage = new Stage(short).begin();
    await stage.under(3);
    stage.api.store.remove(kinds.SwarmGroup, ref);
    await stage.clock.advance(1);
    stage.api.store.create(kinds.SwarmGroup, groupObject({ spec: { replicas: 3 } }));
    expect(await stage.end()).toBe(false);
    expect(stage.told).toContain('shop: stopped: another client deleted it');
    expect(stage.held).toEqual([3, 'Staged']);
  });

  it('an experiment puts nothing back when its group is deleted', async () => {
    const stage = new Stage(short).begin();
    await stage.under(3);
    stage.api.store.remove(kinds.SwarmGroup, ref);
    expect(await stage.end()).toBe(false);
    expect(stage.told.slice(-2)).toEqual([
      'shop: stopped: another client deleted it',
      'shop: the group was deleted; nothing to restore',
    ]);
  });
});

describe('an API server', () => {
  const patches = (stage: Stage) => stage.api.writes.length;

  it('an experiment repeats a write that the API server refuses for its old version', async () => {
    const stage = new Stage();
    let isFirst = true;
    stage.api.faults = {
      before: ({ verb }) => {
        if (verb === 'patch' && isFirst) {
          isFirst = false;
          stage.edit({ status: { desiredMembers: 9 } });
        }
      },
    };
    expect(await stage.begin().end()).toBe(true);
    expect(patches(stage)).toBe(4);
  });

  it('an experiment whose write gets no answer looks up whether it took effect', async () => {
    const stage = new Stage();
    let lost = 0;
    stage.api.faults = {
      after: ({ verb }) => {
        if (verb !== 'patch' || lost % 2 === 1) return;
        lost += 1;
        throw new KubeError('Unreachable', 'the other side closed');
      },
    };
    expect(await stage.begin().end()).toBe(true);
    expect(stage.told[1]).toBe('shop: the other side closed; retrying');
    expect(stage.csv).toHaveLength(3);
    expect(stage.held).toEqual(asFound);
  });

  it('an experiment that cannot reach the API server waits for it to put the group back', async () => {
    const stage = new Stage().begin();
    await stage.under(3);
    let isAway = true;
    stage.api.faults = {
      before: ({ verb }) => {
        if (isAway && verb !== 'watch') throw new KubeError('Unreachable', 'connection refused');
      },
    };
    stage.ended.abort();
    await stage.clock.advance(20_000);
    expect(stage.held).toEqual([3, 'Staged']);
    expect(stage.trial.left).toEqual(['spec.replicas is 3, and was 1']);
    isAway = false;
    await stage.end();
    expect(stage.held).toEqual(asFound);
    expect(stage.trial.left).toEqual([]);
    expect(stage.told.filter((text) => text.includes('connection refused'))).toHaveLength(1);
  });

  it('an experiment ends where the API server forbids a write', async () => {
    const stage = new Stage();
    stage.api.faults = {
      before: ({ verb }) => {
        if (verb === 'patch') throw new KubeError('Forbidden', 'no right to patch');
      },
    };
    expect(await stage.begin().end()).toBe(false);
    expect(stage.told.slice(1)).toEqual([
      'shop: stopped: no right to patch',
      'shop: restored to size 1, order Staged',
    ]);
  });

  it('an experiment ends where the API server forbids the watch', async () => {
    const stage = new Stage();
    stage.api.faults = {
      before: ({ verb }) => {
        if (verb === 'watch') throw new KubeError('Forbidden', 'no right to watch');
      },
    };
    expect(await stage.begin().end()).toBe(false);
    expect(stage.told).toContain('shop: stopped: no right to watch');
  });
});

describe('an interrupt', () => {
  it('an interrupt puts the group back at once, and does not wait for its members', async () => {
    const stage = new Stage({ ...short, orders: ['Together'] }).begin();
    await stage.under(3);
    stage.ended.abort();
    const start = stage.clock.monotonic();
    expect(await stage.end()).toBe(false);
    expect(stage.clock.monotonic() - start).toBeLessThan(TAKES_MS);
    expect(stage.told.slice(-2)).toEqual([
      'shop: interrupted',
      'shop: restored to size 1, order Staged; its members may still be scaling',
    ]);
    expect(stage.held).toEqual(asFound);
  });

  it('a second interrupt ends the experiment, which says what it has not put back', async () => {
    const stage = new Stage({ ...short, orders: ['Together'] }).begin();
    await stage.under(3);
    stage.api.faults = {
      before: ({ verb }) => {
        if (verb === 'patch') throw new KubeError('Unavailable', 'it starts');
      },
    };
    stage.ended.abort();
    await stage.clock.advance(3_000);
    stage.abandoned.abort();
    expect(await stage.end()).toBe(false);
    expect(stage.told.at(-1)).toBe(
      'shop: not restored: spec.replicas is 3, and was 1, spec.transition.order is Together, and was Staged (interrupted)',
    );
  });

  it('an interrupt at the start ends the experiment before it writes anything', async () => {
    const stage = new Stage();
    stage.ended.abort();
    await stage.begin().end();
    expect(stage.api.writes).toEqual([]);
  });
});
