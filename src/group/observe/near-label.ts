// Which label of a workload was probably meant by a selector that selects nothing?
import { nearest } from '../../api/nearest.ts';
import type { Target } from '../../api/observed.ts';
import type { SwarmGroup } from '../../api/validate.ts';
import type { KnownWorkloads } from '../../runtime/store/workloads.ts';

/** "tier=frontend, as Deployment web has it". Undefined: no label is similar. */
export function nearLabelOf(
  workloads: Pick<KnownWorkloads, 'of'>,
  { meta, spec }: SwarmGroup,
): string | undefined {
  if (!spec.ok || spec.value.selector === undefined) return undefined;
  const all = (['Deployment', 'StatefulSet'] as const)
    .flatMap((kind) => workloads.of(kind, meta.namespace))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const [label, value] of Object.entries(spec.value.selector.matchLabels)) {
    if (all.some(({ labels }) => labels[label] === value)) continue;
    const near = nearValue(all, label, value) ?? nearKey(all, label, value);
    if (near !== undefined) return near;
  }
  return undefined;
}

function nearValue(all: readonly Target[], label: string, value: string): string | undefined {
  const values = all.flatMap(({ labels }) => labels[label] ?? []);
  const meant = nearest(value, values);
  return meant === undefined ? undefined : textOf(all, label, meant);
}

function nearKey(all: readonly Target[], label: string, value: string): string | undefined {
  const having = all.flatMap(({ labels }) =>
    Object.entries(labels).flatMap(([key, its]) => (its === value ? [key] : [])),
  );
  const meant = nearest(label, having);
  return meant === undefined ? undefined : textOf(all, meant, value);
}

function textOf(all: readonly Target[], label: string, value: string): string | undefined {
  const owner = all.find(({ labels }) => labels[label] === value);
  return owner && `${label}=${value}, as ${owner.kind} ${owner.name} has it`;
}
