// Would the API server accept this object of ours? Answered without it, from the definition (CRD)
// that swarmctl comes with, in its order: defaults, schema, rules.
import { readdirSync, readFileSync } from 'node:fs';
import type { ErrorObject } from 'ajv';
import { load } from 'js-yaml';
import { apiVersionOf, kinds, type OwnKindName } from '../../api/kinds.ts';
import { asList, asRecord, asString, dig, isName, own } from '../../api/objects.ts';
import { type Problem, problemsOf, unquotedHint } from '../../api/own-object.ts';
import { scheduleProblems, specValidators } from '../../api/validate.ts';
import { type LocatedProblem, locate, type OwnDocument } from './documents.ts';
import { brokenRules, joined, type RuleSchema } from './rules.ts';

export const problemsIn = (document: OwnDocument): readonly LocatedProblem[] =>
  checkDocument(document).map((problem) => locate(document, problem));

type Checked = { readonly spec: unknown; readonly problems: readonly Problem[] };

function checkDocument({ kind, value: object }: OwnDocument): readonly Problem[] {
  const [version, expected] = [dig(object, 'apiVersion'), apiVersionOf(kinds[kind])];
  const [name, spec] = [dig(object, 'metadata', 'name'), dig(object, 'spec')];
  const head: Problem[] = [];
  if (version !== expected)
    head.push({ field: 'apiVersion', message: `is ${shown(version)}; expected ${expected}` });
  if (!isName(asString(name) ?? '')) {
    const allowed =
      "allowed are lowercase letters, digits, '-' and '.', beginning and ending with a letter or digit";
    const expected = unquotedHint(name) ?? allowed;
    head.push({ field: 'metadata.name', message: `is ${shown(name)}; ${expected}` });
  }
  head.push(...unquotedIn(dig(object, 'metadata')));
  if (asRecord(spec) === undefined) return [...head, { field: 'spec', message: 'is missing' }];
  const { properties } = definitions[kind];
  const unknown = unknownFields({ properties: { ...properties, metadata: {} } }, object);
  const [checked, errors] = checkSchema(kind, spec);
  const faulty = problemsOf('spec', errors.filter(isBlocking)).map(({ field }) => field);
  const whole = { metadata: { name: String(name) }, spec: checked };
  return [
    ...head,
    ...unknown,
    ...problemsOf('spec', errors),
    // Those that do not read what fails, too, so that all mistakes are told at once.
    ...brokenRules(definitions[kind], whole, undefined, { faulty }),
    ...problemsOfTimes(kind, checked),
  ];
}

/**
 * The operator reports them: the API server knows neither cron nor time zones. Read where the
 * policy is as its schema says, whatever else is wrong.
 */
function problemsOfTimes(kind: OwnKindName, spec: unknown): readonly Problem[] {
  const members = [{ kind: 'Deployment', name: 'any' }];
  const alone: unknown = { members, policy: dig(spec, 'policy') };
  return kind === 'SwarmGroup' && specValidators.SwarmGroup(alone)
    ? [...scheduleProblems(alone)]
    : [];
}

/** Texts of metadata that YAML reads as something else; the name is checked by itself. */
const unquotedIn = (metadata: unknown): readonly Problem[] =>
  [
    ['namespace', dig(metadata, 'namespace')] as const,
    ...['labels', 'annotations'].flatMap((field) =>
      Object.entries(asRecord(dig(metadata, field)) ?? {}).map(
        ([key, value]) => [`${field}.${key}`, value] as const,
      ),
    ),
  ].flatMap(([field, value]) => {
    const hint = unquotedHint(value);
    return hint === undefined
      ? []
      : [{ field: `metadata.${field}`, message: `is ${shown(value)}; ${hint}` }];
  });

const shown = (value: unknown): string => JSON.stringify(value) ?? 'missing';

/** The schema of a whole object, by kind. */
export const definitions = readDefinitions();

/** The API server evaluates no rule of an object that fails one of these. */
const blocking = new Set(['type', 'required', 'enum', 'maxLength', 'maxItems', 'maxProperties']);

const isBlocking = ({ keyword }: ErrorObject): boolean => blocking.has(keyword);

/** `spec` with its defaults. */
function checkSchema(
  kind: OwnKindName,
  given: unknown,
): readonly [unknown, readonly ErrorObject[]] {
  const spec: unknown = structuredClone(given);
  const validate = specValidators[kind];
  return [spec, validate(spec) ? [] : (validate.errors ?? [])];
}

/** Just as the API server. `before`: the object that stands there already. */
export function checkSpec(
  kind: OwnKindName,
  object: { readonly metadata: object; readonly spec: unknown },
  before?: object,
): Checked {
  const [spec, errors] = checkSchema(kind, object.spec);
  const { metadata } = object;
  const broken = errors.some(isBlocking)
    ? []
    : brokenRules(definitions[kind], { metadata, spec }, before);
  return { spec, problems: [...problemsOf('spec', errors), ...broken] };
}

function readDefinitions(): Readonly<Record<OwnKindName, RuleSchema>> {
  const folder = new URL('../../../crds/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  const all = files.map((file) => load(readFileSync(new URL(file, folder), 'utf8')));
  const schemaOf = (kind: OwnKindName): RuleSchema => {
    const crd = all.find((it) => dig(it, 'spec', 'names', 'kind') === kind);
    const { version } = kinds[kind];
    const found = asList(dig(crd, 'spec', 'versions')).find((it) => dig(it, 'name') === version);
    return dig(found, 'schema', 'openAPIV3Schema') as RuleSchema;
  };
  return {
    SwarmPool: schemaOf('SwarmPool'),
    SwarmGroup: schemaOf('SwarmGroup'),
    SwarmQueue: schemaOf('SwarmQueue'),
    SwarmJob: schemaOf('SwarmJob'),
  };
}

/** Mostly misspelt. The API server drops them, and kubectl refuses them. */
function unknownFields(schema: RuleSchema, value: unknown, path = ''): readonly Problem[] {
  const items = asList(value).flatMap((item, index) =>
    unknownFields(schema.items ?? {}, item, `${path}[${index}]`),
  );
  const { properties, additionalProperties } = schema;
  const fields = Object.entries(asRecord(value) ?? {}).flatMap(([name, inner]) => {
    const known = own(properties, name) ?? additionalProperties;
    if (known !== undefined) return unknownFields(known, inner, joined(path, name));
    if (properties === undefined || schema['x-kubernetes-preserve-unknown-fields']) return [];
    const meant = nearest(name, Object.keys(properties));
    const message = meant === undefined ? 'unknown field' : `unknown field; did you mean ${meant}?`;
    return [{ field: joined(path, name), message }];
  });
  return [...fields, ...items];
}

const MAX_DISTANCE = 2;

function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((it) => ({ it, edits: distance(name.toLowerCase(), it.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= MAX_DISTANCE ? best.it : undefined;
}

/** How many letters must be changed, added or removed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let at = 1; at <= a.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= b.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (a[at - 1] === b[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
