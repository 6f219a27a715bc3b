// Which values of a spec does this version not act on yet? They are refused by name, never ignored.
import type { Problem, SwarmPoolSpec } from '../../api/validate.ts';

export function notSupported(spec: SwarmPoolSpec): readonly Problem[] {
  const { workers, assignments } = spec;
  const rows: readonly Row[] = [
    ['spec.workers.kind', unless('StatefulSet', workers.kind ?? workers.targetRef?.kind ?? 'StatefulSet'), 'StatefulSet'],
    ['spec.assignments.whenDeleted', unless('Retain', assignments.whenDeleted), 'Retain'],
  ];
  return rows.flatMap(([field, found, allowed]) =>
    found === undefined ? [] : [{ field, message: `${JSON.stringify(found)} is not supported yet, only ${allowed}` }],
  );
}

type Row = readonly [field: string, found: unknown, allowed: string];

const unless = <T>(only: T, found: T): T | undefined => (found === only ? undefined : found);
