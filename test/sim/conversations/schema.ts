// Which SwarmPools does an API server take? Every field of the definition, with values that it
// allows and values that it does not.
import { kinds } from '../../../src/api/kinds.ts';
import { isRecord } from '../../../src/api/objects.ts';
import { changesOf } from '../story/fields.ts';
import type { Mode } from '../story/story.ts';
import type { Conversation } from './teller.ts';

const { SwarmPool } = kinds;

/** In some, what elsewhere is allowed contradicts the rest. */
const bases: Readonly<Record<string, object>> = {
  plain: { workers: { selector: { matchLabels: { app: 'x' } } }, streams: [{ name: 's0' }] },
  Exclusive: {
    workers: { selector: { matchLabels: { app: 'x' } } },
    handoff: { type: 'Exclusive' },
  },
  'Deployment, Lead': {
    workers: { targetRef: { kind: 'Deployment', name: 'x' }, scaling: 'Lead' },
  },
  'Restart, None': {
    workers: { targetRef: { name: 'x' } },
    refresh: { mode: 'Restart' },
    probe: { type: 'None' },
  },
};

const shape = { mode: 'AtLeastOnce' as Mode, workers: 1, streams: 1 };

const leading = { workers: { targetRef: { name: 'x' }, scaling: 'Lead', replicas: 3 } };

/** What `kubectl scale` of a pool that led has left is not in the manifest that lets it follow. */
const leftover: Conversation = {
  name: 'the size of a pool that no longer leads',
  tell: async (teller) => {
    const change = async (says: string, workers: object): Promise<void> => {
      const body = { spec: { workers } };
      await teller.try(
        says,
        () => teller.api.patch(SwarmPool, teller.ref('p'), { type: 'merge', body }),
        ({ spec }) => withoutUnknown(spec),
        brokenRules,
      );
    };
    const following = teller.object(SwarmPool, 'q', {
      spec: { workers: { ...leading.workers, scaling: 'Follow' } },
    });
    await teller.try(
      'made with a size and Follow',
      () => teller.api.create(SwarmPool, following),
      ({ spec }) => withoutUnknown(spec),
      brokenRules,
    );
    await teller.create(SwarmPool, 'p', { spec: leading });
    await change('Follow, and another size', { scaling: 'Follow', replicas: 4 });
    await change('Follow', { scaling: 'Follow' });
    await change('another field', { capacity: 50 });
    await change('another size', { replicas: 4 });
    await change('without a size', { replicas: null });
    await change('a size again', { replicas: 3 });
  },
};

const fields: readonly Conversation[] = Object.entries(bases).map(([name, spec]) => ({
  name: `every field of a pool (${name})`,
  tell: async (teller) => {
    const base = await teller.create(SwarmPool, 'p', { spec });
    teller.note('with its defaults', base['spec']);
    for (const { says, patch } of changesOf(shape)) {
      const body = { spec: patch };
      const changed = await teller.try(
        says,
        () => teller.api.patch(SwarmPool, teller.ref('p'), { type: 'merge', body }),
        (answer) => withoutUnknown(answer['spec']),
        brokenRules,
      );
      if (changed === undefined) continue;
      const { metadata } = await teller.get(SwarmPool, teller.ref('p'));
      await teller.api.replace(SwarmPool, { ...base, metadata });
    }
  },
}));

export const schema: readonly Conversation[] = [...fields, leftover];

const withoutUnknown = (spec: unknown): unknown => (isRecord(spec) ? spec : null);

/** Fields and messages of the rules. Where a schema is broken, each server has words of its own. */
function brokenRules(message: string): string {
  const problems = message.matchAll(
    /(spec[^ :]*): (?:Invalid value: (?:"(?:[^"\\]|\\.)*": |-?\d+: )?)?(.*?)(?=, spec[^ :]*: |, <nil>: |\]?$)/g,
  );
  return [...problems]
    .filter(([, , text = '']) => !ofSchema.test(text))
    .map(([, field, text = '']) => `; ${field}: ${text.replace(/ is already .*/, '')}`)
    .sort()
    .join('');
}

const ofSchema =
  /^(must |spec\S* in body |Too (long|many)|Required value|Unsupported value|\S+ accessor error)/;
