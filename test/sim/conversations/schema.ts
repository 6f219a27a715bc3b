// Which SwarmPools does an API server take? Every field of the definition, with values that it allows and values that it does not.
import { kinds } from '../../../src/api/kinds.ts';
import { isRecord } from '../../../src/api/objects.ts';
import { changesOf } from '../story/fields.ts';
import type { Mode } from '../story/story.ts';
import type { Conversation } from './teller.ts';

const { SwarmPool } = kinds;

/** In some, what elsewhere is allowed contradicts the rest. */
const bases: Readonly<Record<string, object>> = {
  plain: { workers: { selector: { matchLabels: { app: 'x' } } }, streams: [{ name: 's0' }] },
  Exclusive: { workers: { selector: { matchLabels: { app: 'x' } } }, handoff: { type: 'Exclusive' } },
  'Deployment, Lead': { workers: { targetRef: { kind: 'Deployment', name: 'x' }, scaling: 'Lead' } },
  'Restart, None': { workers: { targetRef: { name: 'x' } }, refresh: { mode: 'Restart' }, probe: { type: 'None' } },
};

const shape = { mode: 'AtLeastOnce' as Mode, workers: 1, streams: 1 };

export const schema: readonly Conversation[] = Object.entries(bases).map(([name, spec]) => ({
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
      );
      if (changed === undefined) continue;
      const { metadata } = await teller.get(SwarmPool, teller.ref('p'));
      await teller.api.replace(SwarmPool, { ...base, metadata });
    }
  },
}));

const withoutUnknown = (spec: unknown): unknown => (isRecord(spec) ? spec : null);
