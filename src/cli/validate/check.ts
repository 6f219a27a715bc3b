// Would the API server take these manifests? Asked of the definition alone: its schema, its rules,
// the names of its fields.
import { readdirSync, readFileSync } from 'node:fs';
import { load, loadAll, YAMLException } from 'js-yaml';
import { validateSwarmPoolSpec } from '../../api/generated/validators.cjs';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import { asList, asRecord, asString, dig } from '../../api/objects.ts';
import { type Problem, problemsOf } from '../../api/validate.ts';
import type { Manifest } from '../files/read.ts';
import { unknownFields } from './fields.ts';
import { lineOf, placesIn, type YamlPlaces } from './places.ts';
import { brokenRules, type RuleSchema } from './rules.ts';

export type Found = {
  readonly file: string;
  readonly line: number;
  readonly field: string;
  readonly message: string;
};
/** `value`: as it stands; `at`: the path of an item of a list, or nothing. */
export type PoolDocument = {
  readonly manifest: Manifest;
  readonly places: YamlPlaces;
  readonly value: unknown;
  readonly at: string;
};

const folder = new URL('../../../crds/', import.meta.url);
const name = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** The schema of a whole SwarmPool. */
export function definition(): RuleSchema {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  const all = files.map((file) => load(readFileSync(new URL(file, folder), 'utf8')));
  const pool = all.find((it) => dig(it, 'spec', 'names', 'kind') === kinds.SwarmPool.kind);
  const version = asList(dig(pool, 'spec', 'versions')).find(
    (it) => dig(it, 'name') === kinds.SwarmPool.version,
  );
  return dig(version, 'schema', 'openAPIV3Schema') as RuleSchema;
}

/** The SwarmPools of a file, those in lists too; or why it cannot be read. */
export function poolsIn(manifest: Manifest): {
  readonly pools: readonly PoolDocument[];
  readonly others: number;
  readonly found: readonly Found[];
} {
  try {
    const places = placesIn(manifest.text);
    const documents = loadAll(manifest.text).flatMap((value, index) => {
      const at = places[index] ?? new Map<string, number>();
      const items = asList(dig(value, 'items'));
      if (asString(dig(value, 'kind'))?.endsWith('List') !== true)
        return value === null ? [] : [{ manifest, places: at, value, at: '' }];
      return items.map((item, number) => ({
        manifest,
        places: at,
        value: item,
        at: `items[${number}]`,
      }));
    });
    const pools = documents.filter(({ value }) => dig(value, 'kind') === kinds.SwarmPool.kind);
    return { pools, others: documents.length - pools.length, found: [] };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = (error.mark?.line ?? 0) + 1;
    return {
      pools: [],
      others: 0,
      found: [{ file: manifest.file, line, field: '', message: `not YAML: ${error.reason}` }],
    };
  }
}

export function problemsIn(document: PoolDocument, schema: RuleSchema): readonly Found[] {
  return problemsOfPool(document.value, schema).map((problem) => locate(document, problem));
}

export const locate = (
  { manifest, places, at }: PoolDocument,
  { field, message }: Problem,
): Found => ({
  file: manifest.file,
  line: lineOf(places, [at, field].filter(Boolean).join('.')),
  field,
  message,
});

function problemsOfPool(value: unknown, schema: RuleSchema): readonly Problem[] {
  const expected = apiVersionOf(kinds.SwarmPool);
  const version = dig(value, 'apiVersion');
  const called = dig(value, 'metadata', 'name');
  const head: Problem[] = [];
  if (version !== expected)
    head.push({
      field: 'apiVersion',
      message: `is ${JSON.stringify(version) ?? 'missing'}; ${expected} is known`,
    });
  if (typeof called !== 'string' || called.length > 253 || !name.test(called)) {
    const text = `is ${JSON.stringify(called) ?? 'missing'}; small letters, digits, '-' and '.' are allowed, letters or digits at both ends`;
    head.push({ field: 'metadata.name', message: text });
  }
  if (asRecord(dig(value, 'spec')) === undefined)
    return [...head, { field: 'spec', message: 'is missing' }];
  // The validator puts in what is left out, as the API server does before it asks the rules.
  const spec: unknown = structuredClone(dig(value, 'spec'));
  const bySchema = validateSwarmPoolSpec(spec)
    ? []
    : problemsOf('spec', validateSwarmPoolSpec.errors ?? []);
  const metadata = { name: String(called) };
  const unknown = unknownFields({ properties: { ...schema.properties, metadata: {} } }, value);
  // Of what has not the right type no rule can be asked; the API server does not either.
  const isShaped = validateSwarmPoolSpec.errors?.some(({ keyword }) => keyword === 'type') !== true;
  const byRules = isShaped ? brokenRules(schema, { metadata, spec }) : [];
  return [...head, ...unknown, ...bySchema, ...byRules];
}
