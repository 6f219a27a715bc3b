// Would the API server accept this SwarmPool? Answered without it, from the definition (CRD) that
// swarmctl comes with, in its order: defaults, schema, rules.
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { validateSwarmPoolSpec } from '../../api/generated/validators.cjs';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import { asList, asRecord, asString, dig, isName } from '../../api/objects.ts';
import { type Problem, problemsOf } from '../../api/own-object.ts';
import { type LocatedProblem, locate, type PoolDocument } from './documents.ts';
import { unknownFields } from './fields.ts';
import { brokenRules, type RuleSchema } from './rules.ts';

export const problemsIn = (document: PoolDocument): readonly LocatedProblem[] =>
  problemsInPool(document.value).map((problem) => locate(document, problem));

function problemsInPool(pool: unknown): readonly Problem[] {
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
