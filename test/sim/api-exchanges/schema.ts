// Which SwarmPools and SwarmGroups does an API server accept? Each field of the CRD, with values
// that it allows and values that it does not.
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { isRecord } from '../../../src/api/objects.ts';
import { type Change, changesOf, groupChanges } from '../story/fields.ts';
import type { Mode } from '../story/story.ts';
import type { Exchange } from './recorder.ts';

const { SwarmPool, SwarmGroup } = kinds;

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

const groupBases: Readonly<Record<string, object>> = {
  members: {
    members: [
      { kind: 'Deployment', name: 'm0', minReplicas: 1 },
      { kind: 'StatefulSet', name: 'm1' },
    ],
  },
  selector: { selector: { matchLabels: { app: 'x' } }, memberDefaults: { maxReplicas: 4 } },
};

const fieldsOf = (
  kind: Kind,
  name: string,
  spec: object,
  changes: readonly Change[],
): Exchange => ({
  name: `every field of ${name}`,
  run: async (recorder) => {
    const base = await recorder.create(kind, 'p', { spec });
    recorder.note('with its defaults', base['spec']);
    for (const { says, patch } of changes) {
      const body = { spec: patch };
      const changed = await recorder.try(
        says,
        () => recorder.api.patch(kind, recorder.ref('p'), { type: 'merge', body }),
        (answer) => withoutUnknown(answer['spec']),
        brokenRules,
      );
      if (changed === undefined) continue;
      const { metadata } = await recorder.get(kind, recorder.ref('p'));
      await recorder.api.replace(kind, { ...base, metadata });
    }
  },
});

const fields: readonly Exchange[] = [
  ...Object.entries(bases).map(([name, spec]) =>
    fieldsOf(SwarmPool, `a pool (${name})`, spec, changesOf(shape)),
  ),
  ...Object.entries(groupBases).map(([name, spec]) =>
    fieldsOf(SwarmGroup, `a group (${name})`, spec, groupChanges),
  ),
];

export const schema: readonly Exchange[] = [...fields, leftover];

const withoutUnknown = (spec: unknown): unknown => (isRecord(spec) ? spec : null);

/** Fields and messages of CEL rules. For schema violations, each server has its own wording. */
function brokenRules(message: string): string {
  const problems = message.matchAll(
    /(spec[^ :]*): (?:Invalid value: (?:"(?:[^"\\]|\\.)*": |-?[\d.]+: )?)?(.*?)(?=, spec[^ :]*: |, <nil>: |\]?$)/g,
  );
  return [...problems]
    .filter(([, , text = '']) => !ofSchema.test(text))
    .map(([, field, text = '']) => `; ${field}: ${text.replace(/ is already .*/, '')}`)
    .sort()
    .join('');
}

const ofSchema =
  /^(must |spec\S* in body |Too (long|many)|Required value|Unsupported value|Duplicate value|\S+ accessor error)/;
