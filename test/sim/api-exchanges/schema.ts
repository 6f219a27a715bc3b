// Which SwarmPools does an API server accept? Each field of the CRD, with values that it allows and
// values that it does not.
import { kinds } from '../../../src/api/kinds.ts';
import { isRecord } from '../../../src/api/objects.ts';
import { changesOf } from '../story/fields.ts';
import type { Mode } from '../story/story.ts';
import type { Exchange } from './recorder.ts';

const { SwarmPool } = kinds;

/** In some of these, a value that is allowed elsewhere contradicts the rest. */
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

/**
 * The manifest of a pool that follows does not contain the size that `kubectl scale` set while the
 * pool led.
 */
const leftover: Exchange = {
  name: 'the size of a pool that no longer leads',
  run: async (recorder) => {
    const change = async (says: string, workers: object): Promise<void> => {
      const body = { spec: { workers } };
      await recorder.try(
        says,
        () => recorder.api.patch(SwarmPool, recorder.ref('p'), { type: 'merge', body }),
        ({ spec }) => withoutUnknown(spec),
        brokenRules,
      );
    };
    const following = recorder.object(SwarmPool, 'q', {
      spec: { workers: { ...leading.workers, scaling: 'Follow' } },
    });
    await recorder.try(
      'created with a size and Follow',
      () => recorder.api.create(SwarmPool, following),
      ({ spec }) => withoutUnknown(spec),
      brokenRules,
    );
    await recorder.create(SwarmPool, 'p', { spec: leading });
    await change('Follow, and another size', { scaling: 'Follow', replicas: 4 });
    await change('Follow', { scaling: 'Follow' });
    await change('another field', { capacity: 50 });
    await change('another size', { replicas: 4 });
    await change('without a size', { replicas: null });
    await change('a size again', { replicas: 3 });
  },
};

const fields: readonly Exchange[] = Object.entries(bases).map(([name, spec]) => ({
  name: `every field of a pool (${name})`,
  run: async (recorder) => {
    const base = await recorder.create(SwarmPool, 'p', { spec });
    recorder.note('with its defaults', base['spec']);
    for (const { says, patch } of changesOf(shape)) {
      const body = { spec: patch };
      const changed = await recorder.try(
        says,
        () => recorder.api.patch(SwarmPool, recorder.ref('p'), { type: 'merge', body }),
        (answer) => withoutUnknown(answer['spec']),
        brokenRules,
      );
      if (changed === undefined) continue;
      const { metadata } = await recorder.get(SwarmPool, recorder.ref('p'));
      await recorder.api.replace(SwarmPool, { ...base, metadata });
    }
  },
}));

export const schema: readonly Exchange[] = [...fields, leftover];

const withoutUnknown = (spec: unknown): unknown => (isRecord(spec) ? spec : null);

/** Fields and messages of CEL rules. For schema violations, each server has its own wording. */
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
