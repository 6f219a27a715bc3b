// Does the definition (CRD) of SwarmPools allow this object? Asked in the order of the API server:
// defaults, schema, rules.
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { validateSwarmPoolSpec } from '../../api/generated/validators.cjs';
import { kinds } from '../../api/kinds.ts';
import { asList, dig } from '../../api/objects.ts';
import { type Problem, problemsOf } from '../../api/own-object.ts';
import { brokenRules, type RuleSchema } from './rules.ts';

/** The schema of a whole SwarmPool. */
export const definition: RuleSchema = readDefinition();

/** The API server evaluates no rule of an object that fails one of these. */
const blocking = new Set(['type', 'required', 'enum', 'maxLength', 'maxItems', 'maxProperties']);

/** `spec` with its defaults. `before`: the object that stands there already. */
export function checkPool(
  pool: { readonly metadata: object; readonly spec: unknown },
  before?: object,
): { readonly spec: unknown; readonly problems: readonly Problem[] } {
  const spec: unknown = structuredClone(pool.spec);
  const errors = validateSwarmPoolSpec(spec) ? [] : (validateSwarmPoolSpec.errors ?? []);
  const isBlocked = errors.some(({ keyword }) => blocking.has(keyword));
  const { metadata } = pool;
  const broken = isBlocked ? [] : brokenRules(definition, { metadata, spec }, before);
  return { spec, problems: [...problemsOf('spec', errors), ...broken] };
}

function readDefinition(): RuleSchema {
  const folder = new URL('../../../crds/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  const all = files.map((file) => load(readFileSync(new URL(file, folder), 'utf8')));
  const { kind, version } = kinds.SwarmPool;
  const pool = all.find((it) => dig(it, 'spec', 'names', 'kind') === kind);
  const found = asList(dig(pool, 'spec', 'versions')).find((it) => dig(it, 'name') === version);
  return dig(found, 'schema', 'openAPIV3Schema') as RuleSchema;
}
