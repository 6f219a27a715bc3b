// What should each member have? Computed from the objects alone, in another way than the operator
// does.
import { kinds } from '../../../src/api/kinds.ts';
import {
  asList,
  asNumber,
  asRecord,
  asString,
  dig,
  type KubeObject,
} from '../../../src/api/objects.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { NAMESPACE } from '../cluster/manifests.ts';
import { kindNamed } from './manifests.ts';

export type Bounds = { readonly least: number; readonly most: number };

export type ExpectedMember = {
  readonly kind: string;
  readonly name: string;
  readonly stage: number;
  readonly bounds: Bounds;
  readonly at: (size: number) => number;
  readonly object: KubeObject | undefined;
};

/** By decimal digits: "1.5" at 3 is 45 tenths, so 5. */
function rationed(ratio: unknown, size: number): number {
  const [whole = '0', decimals = ''] = String(ratio).split('.');
  const unit = 10 ** decimals.length;
  return Math.ceil((Number(whole + decimals) * size) / unit);
}

export const within = ({ least, most }: Bounds, replicas: number): number =>
  Math.max(least, Math.min(most, replicas));

/** Those that the spec names or selects, by what the server has now. */
export function expectedMembers(
  server: ApiServer,
  spec: unknown,
  named = namedIn(server, spec),
): readonly ExpectedMember[] {
  const defaults = asRecord(dig(spec, 'memberDefaults')) ?? {};
  return named.map((own) => {
    const rules: Record<string, unknown> = {
      ratio: 1,
      minReplicas: 0,
      stage: 0,
      ...defaults,
      ...own,
    };
    const bounds = {
      least: asNumber(rules['minReplicas']) ?? 0,
      most: asNumber(rules['maxReplicas']) ?? Number.POSITIVE_INFINITY,
    };
    const [kind, name] = [asString(own['kind']) ?? '', asString(own['name']) ?? ''];
    return {
      ...{ kind, name, bounds },
      stage: asNumber(rules['stage']) ?? 0,
      at: (size) => within(bounds, rationed(rules['ratio'], size)),
      object: server.find(kindNamed(kind), { namespace: NAMESPACE, name }),
    };
  });
}

type Named = Readonly<Record<string, unknown>>;

function namedIn(server: ApiServer, spec: unknown): readonly Named[] {
  const named = dig(spec, 'members');
  if (named !== undefined) return asList(named).map((it) => asRecord(it) ?? {});
  const labels = Object.entries(asRecord(dig(spec, 'selector', 'matchLabels')) ?? {});
  return [kinds.Deployment, kinds.StatefulSet]
    .flatMap((kind) => server.all({ kind, namespace: NAMESPACE }))
    .filter(({ metadata }) => labels.every(([key, value]) => metadata.labels?.[key] === value))
    .map(({ kind, metadata: { name } }) => ({ kind, name }));
}

export const sizeOfSpec = (spec: unknown): number => {
  const least = asNumber(dig(spec, 'policy', 'minReplicas')) ?? 0;
  const most = asNumber(dig(spec, 'policy', 'maxReplicas')) ?? Number.POSITIVE_INFINITY;
  return within({ least, most }, asNumber(dig(spec, 'replicas')) ?? 0);
};

export const replicasIn = (object: KubeObject): number =>
  asNumber(
    object.kind === 'SwarmPool'
      ? dig(object, 'spec', 'workers', 'replicas')
      : dig(object, 'spec', 'replicas'),
  ) ?? 0;
