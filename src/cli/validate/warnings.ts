// What would the API server accept of a SwarmPool that is probably not what is meant?
import { asList, asNumber, dig } from '../../api/objects.ts';
import type { Problem } from '../../api/own-object.ts';

/** Weights that no worker can carry. `spec`: with its defaults. */
export function warningsAbout(spec: unknown): readonly Problem[] {
  if (dig(spec, 'overcommit') === 'Allow') return [];
  const capacity = asNumber(dig(spec, 'workers', 'capacity')) ?? Number.POSITIVE_INFINITY;
  const weights: readonly (readonly [string, unknown])[] = [
    ['spec.streamDefaults.weight', dig(spec, 'streamDefaults', 'weight')],
    ...asList(dig(spec, 'streams')).map(
      (stream, at) => [`spec.streams[${at}].weight`, dig(stream, 'weight')] as const,
    ),
  ];
  return weights.flatMap(([field, weight]) => {
    if ((asNumber(weight) ?? 0) <= capacity) return [];
    const message = `is ${String(weight)}, and spec.workers.capacity is ${capacity}: no worker can carry it`;
    return [{ field, message }];
  });
}
