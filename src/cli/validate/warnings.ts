// What would the API server accept of a SwarmPool that is probably not what is meant?
import { asList, asNumber, dig } from '../../api/objects.ts';
import type { Problem } from '../../api/own-object.ts';
import { specValidators } from '../../api/validate.ts';
import { type LocatedProblem, locate, type OwnDocument } from './documents.ts';

export const warningsAbout = (document: OwnDocument): readonly LocatedProblem[] =>
  document.kind !== 'SwarmPool'
    ? []
    : heavyWeights(withDefaults(dig(document.value, 'spec'))).map((problem) => ({
        ...locate(document, problem),
        isWarning: true,
      }));

/** Also of a spec with mistakes: the validator fills them in. */
export function withDefaults(given: unknown): unknown {
  const spec: unknown = structuredClone(given);
  specValidators.SwarmPool(spec);
  return spec;
}

/** Weights that no worker can carry. */
function heavyWeights(spec: unknown): readonly Problem[] {
  const weights: readonly (readonly [string, unknown])[] = [
    ['spec.streamDefaults.weight', dig(spec, 'streamDefaults', 'weight')],
    ...asList(dig(spec, 'streams')).map(
      (stream, at) => [`spec.streams[${at}].weight`, dig(stream, 'weight')] as const,
    ),
  ];
  return weights.flatMap(([field, weight]) => {
    const message = whyTooHeavy(spec, asNumber(weight) ?? 0);
    return message === undefined ? [] : [{ field, message: `is ${message}` }];
  });
}

/** Undefined: it is not, or the pool spreads it all the same. `spec`: with its defaults. */
export function whyTooHeavy(spec: unknown, weight: number): string | undefined {
  const capacity = asNumber(dig(spec, 'workers', 'capacity')) ?? Number.POSITIVE_INFINITY;
  return weight <= capacity || dig(spec, 'overcommit') === 'Allow'
    ? undefined
    : `${weight}, and spec.workers.capacity is ${capacity}: no worker can carry it (TooHeavy); if the stream already runs, it stays on its worker`;
}
