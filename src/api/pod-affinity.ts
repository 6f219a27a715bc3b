// Which term of a pod's affinity selects pods of other namespaces? A ResourceQuota may count it.
import { asList, dig } from './objects.ts';

const kinds = ['podAffinity', 'podAntiAffinity'] as const;
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The first such term; undefined: there is none. */
export function crossingTerm(affinity: unknown): unknown {
  return kinds
    .flatMap((kind) => [
      ...asList(dig(affinity, kind, REQUIRED)),
      ...asList(dig(affinity, kind, PREFERRED)).map((it) => dig(it, 'podAffinityTerm')),
    ])
    .find(isCrossing);
}

/** An empty selector selects all namespaces. */
const isCrossing = (term: unknown): boolean =>
  asList(dig(term, 'namespaces')).length > 0 ||
  (dig(term, 'namespaceSelector') ?? undefined) !== undefined;

/** The part of an affinity that a ResourceQuota reads. */
export const slimAffinity = (affinity: unknown): object | undefined =>
  crossingTerm(affinity) === undefined
    ? undefined
    : { podAffinity: { [REQUIRED]: [{ namespaceSelector: {} }] } };
