// Would the API server accept this SwarmPool? Answered without it, from the definition (CRD) that
// swarmctl comes with.
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import { asRecord, asString, dig, isName } from '../../api/objects.ts';
import type { Problem } from '../../api/own-object.ts';
import { checkPool, definition } from './definition.ts';
import { type LocatedProblem, locate, type PoolDocument } from './documents.ts';
import { unknownFields } from './fields.ts';

export const problemsIn = (document: PoolDocument): readonly LocatedProblem[] =>
  problemsOf(document.value).map((problem) => locate(document, problem));

function problemsOf(pool: unknown): readonly Problem[] {
  const [version, expected] = [dig(pool, 'apiVersion'), apiVersionOf(kinds.SwarmPool)];
  const [name, spec] = [dig(pool, 'metadata', 'name'), dig(pool, 'spec')];
  const head: Problem[] = [];
  if (version !== expected)
    head.push({ field: 'apiVersion', message: `is ${shown(version)}; ${expected} is known` });
  if (!isName(asString(name) ?? '')) {
    const allowed =
      "small letters, digits, '-' and '.' are allowed, letters or digits at both ends";
    head.push({ field: 'metadata.name', message: `is ${shown(name)}; ${allowed}` });
  }
  if (asRecord(spec) === undefined) return [...head, { field: 'spec', message: 'is missing' }];
  const unknown = unknownFields({ properties: { ...definition.properties, metadata: {} } }, pool);
  return [...head, ...unknown, ...checkPool({ metadata: { name: String(name) }, spec }).problems];
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'missing';
