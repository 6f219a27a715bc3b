// Which steps are carried out side by side, and does a failing one stop its neighbours?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { Step } from '../../../../src/core/decision.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { execute, NotLeading } from '../../../../src/runtime/engine/execute.ts';
import type { MemoryApi } from '../../../support/memory-api.ts';
import { event, setUp, status } from './executor-under-test.ts';
import { decided } from './trivial-controller.ts';

describe('neighbouring steps of one type', () => {
  const neighbours = (sort: string, api: MemoryApi): readonly Step[] =>
    ['a', 'b', 'c'].map((name): Step => {
      const place = { namespace: 'n', name };
      const ref = decided(api.store.put(kinds.StatefulSet, place, { spec: { replicas: 1 } }));
      switch (sort) {
        case 'create':
          return {
            do: 'create',
            kind: kinds.ConfigMap,
            object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: place },
          };
        case 'scale':
          return { do: 'scale', kind: kinds.StatefulSet, ref, replicas: 2 };
        default:
          return { do: 'delete', kind: kinds.StatefulSet, ref };
      }
    });

  it.each(['create', 'delete', 'scale'])(
    'neighbouring %s steps are sent concurrently',
    async (sort) => {
      const { api, executor } = setUp();
      const steps = neighbours(sort, api);
      let underWay = 0;
      let most = 0;
      api.faults = {
        before: () => {
          underWay += 1;
          most = Math.max(most, underWay);
        },
        after: () => {
          underWay -= 1;
        },
      };
      await execute(executor, steps);
      expect(most).toBe(3);
    },
  );

  it.each(['create', 'delete', 'scale'])(
    'neighbouring %s steps are all tried when one fails',
    async (sort) => {
      const { api, executor } = setUp();
      const steps = neighbours(sort, api);
      api.faults = {
        before: ({ name }) => {
          if (name === 'a') throw new KubeError('Forbidden', 'a is refused');
        },
      };
      await expect(execute(executor, [...steps, event('not told')])).rejects.toThrow(
        'a is refused',
      );
      expect(api.writes.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    },
  );
});

describe('neighbouring nudges', () => {
  it('neighbouring nudges are sent concurrently, at most 32, and other steps one after another', async () => {
    const { api, executor, told, pod, annotate } = setUp();
    const pods = Array.from({ length: 100 }, (_, index) => pod(`p${index}`));
    let underWay = 0;
    let most = 0;
    api.faults = {
      before: () => {
        underWay += 1;
        most = Math.max(most, underWay);
      },
      after: () => {
        underWay -= 1;
      },
    };
    await execute(executor, pods.map(annotate));
    expect([most, api.writes.length]).toEqual([32, 100]);
    most = 0;
    await told(event('a'), event('b'), event('c'));
    expect(most).toBe(1);
  });

  it('neighbouring nudges are all tried when one fails, but later steps are not', async () => {
    const { api, executor, pod, annotate, find, observed } = setUp();
    const pods = ['a', 'b', 'c'].map(pod);
    const pool = api.store.put(kinds.SwarmPool, { namespace: 'n', name: 'p' });
    api.faults = {
      before: ({ name }) => {
        if (name === 'b') throw new KubeError('Unavailable', 'b fails');
      },
    };
    await expect(
      execute(executor, [...pods.map(annotate), event('not told'), status(pool)]),
    ).rejects.toThrow('b fails');
    expect(['a', 'b', 'c'].map((name) => find(name)?.metadata.annotations?.['x'])).toEqual([
      '1',
      undefined,
      '1',
    ]);
    expect(observed.map((text) => text.slice(0, 5))).toEqual(['Pod a', 'Pod c']);
    expect(api.writes.map(({ verb }) => verb)).toEqual(['patch', 'patch', 'patch']);
  });

  it('an event before nudges is written even if a nudge fails', async () => {
    const { api, executor, events, pod, annotate } = setUp();
    const pods = ['a', 'b'].map(pod);
    api.faults = {
      before: ({ name, verb }) => {
        if (verb === 'patch' && name === 'a') throw new KubeError('Conflict', 'a changed');
      },
    };
    await expect(execute(executor, [event('published'), ...pods.map(annotate)])).rejects.toThrow(
      'a changed',
    );
    await events.drained(1_000);
    expect(api.writes.map(({ verb, kind }) => `${verb} ${kind.kind}`).sort()).toEqual([
      'create Event',
      'patch Pod',
      'patch Pod',
    ]);
  });

  it('nudges stop when leadership ends among them', async () => {
    const { api, executor, pod, annotate } = setUp();
    const pods = Array.from({ length: 100 }, (_, index) => pod(`p${index}`));
    let answered = 0;
    api.faults = {
      after: () => {
        answered += 1;
      },
    };
    await expect(
      execute({ ...executor, isLeading: () => answered < 10 }, pods.map(annotate)),
    ).rejects.toBeInstanceOf(NotLeading);
    expect(api.writes.length).toBeLessThan(60);
  });
});
