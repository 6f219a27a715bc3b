// What do hand-made pods do: name foreign owners, answer anything, block a controller's pods?
import { kinds } from '../../../src/api/kinds.ts';
import { answers } from '../answers.ts';
import type { Attack } from '../tenant.ts';

export const IMPOSTOR = 'impostor';

/** Pretend to be the worker of another namespace's pool, by name and by the UID of its owner. */
const impostors: Attack = {
  kind: 'pods-with-a-foreign-owner',
  run: async (tenant, { namespace, other, random }) => {
    const pool = random.pick(tenant.victim.pools);
    const owner = { name: pool, uid: tenant.victim.sets[pool] ?? '' };
    for (const where of [namespace, other]) {
      await tenant.remove(kinds.Pod, where, `${pool}-0`);
      await tenant.pod(where, `${pool}-0`, { owner, answers: IMPOSTOR });
    }
    return [];
  },
};

const answering = answers.map(
  (how): Attack => ({
    kind: `answers-${how}`,
    run: async (tenant, place) => {
      const { namespace, name, random } = place;
      for (const ordinal of [0, 1]) await tenant.remove(kinds.Pod, namespace, `${name}-${ordinal}`);
      await tenant.wellBefore(
        place,
        { streams: [{ name: `r${random.between(0, 1e9)}` }, { name: 'b' }] },
        how,
      );
      return [];
    },
  }),
);

/** More pods than the set wants, all its own by their owner. */
const crowd: Attack = {
  kind: 'pods-beyond-the-size',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    const uid = await tenant.uidOf(kinds.StatefulSet, namespace, name);
    if (uid === undefined) return [];
    const ordinals = ['2147483647', '00', '1e9', '99999999999999999999', 'x'];
    for (const ordinal of ordinals)
      await tenant.pod(namespace, `${name}-${ordinal}`, {
        owner: { name, uid },
        answers: random.pick(answers),
      });
    for (const ordinal of ordinals) await tenant.remove(kinds.Pod, namespace, `${name}-${ordinal}`);
    return [];
  },
};

const budget = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

const unevictable: Attack = {
  kind: 'budgets-in-the-way',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place, { refresh: { mode: 'Restart', timeoutSeconds: 1 } });
    for (let index = 0; index < 3; index += 1) {
      const spec = { maxUnavailable: 0, selector: { matchLabels: { app: name } } };
      await tenant.write(budget, namespace, `${name}-${index}`, { spec });
    }
    await tenant.patch(kinds.SwarmPool, namespace, name, {
      spec: { streams: [{ name: `r${random.between(0, 1e9)}` }] },
    });
    return [];
  },
};

/** The operator reads from events why a pod was not created, and any user may write events. */
const falseEvents: Attack = {
  kind: 'events-of-others',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    await tenant.patch(kinds.StatefulSet, namespace, name, { spec: { replicas: 5 } });
    const uid = await tenant.uidOf(kinds.StatefulSet, namespace, name);
    for (let index = 0; index < 40 && !tenant.isEnding; index += 1) {
      await tenant.write(kinds.Event, namespace, `${name}.${random.between(0, 1e9)}`, {
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingComponent: 'statefulset-controller',
        reportingInstance: 'x',
        action: 'x',
        reason: 'FailedCreate',
        type: 'Warning',
        involvedObject: { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name, uid },
        message:
          `create Pod ${name}-${index % 5} in StatefulSet ${name} failed error: ${random.pick([' failed error: ', '\n', 'x', '\u202e'])}`
            .repeat(5)
            .slice(0, 1_000),
      });
    }
    return [];
  },
};

export const podAttacks: readonly Attack[] = [
  impostors,
  ...answering,
  crowd,
  unevictable,
  falseEvents,
];
