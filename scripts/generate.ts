// Generates from crds/, settings and commands: src/api/generated (types and validators),
// docs/reference, kustomize's merge keys of our lists, and the picture of a recorded session; from
// these and deploy/ the Helm chart; from scripts/mutants the rows of their table.
// `--check` only checks whether they are up to date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type AnySchemaObject } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { chartFiles } from './chart/chart.ts';
import { mergeKeys } from './definitions/merge-keys.ts';
import {
  addKubernetesWords,
  readDefinitions,
  type Schema,
  strictly,
} from './definitions/schema.ts';
import { mutants } from './mutants/mutants.ts';
import { withTable } from './mutants/table.ts';
import { cliReference } from './reference/cli.ts';
import { introspectionReference } from './reference/introspection.ts';
import { kindReference } from './reference/kind.ts';
import { metricsReference } from './reference/metrics.ts';
import { settingsReference } from './reference/settings.ts';
import { readCast } from './terminal/cast.ts';
import { svgOf } from './terminal/svg.ts';

const root = new URL('../', import.meta.url);
const isCheck = process.argv.includes('--check');
const definitions = readDefinitions(new URL('crds/', root));
/** Of an object that keeps what its schema does not name. */
const UNKNOWN_FIELDS = 'Readonly<Record<string, unknown>>';

const outputs = new Map([
  ['src/api/generated/types.ts', typesText()],
  ['src/api/generated/validators.cjs', validatorsText()],
  ['src/api/generated/validators.d.cts', declarationsText()],
  ...definitions.map(
    (definition) =>
      [`docs/reference/${definition.kind.toLowerCase()}.md`, kindReference(definition)] as const,
  ),
  ['docs/reference/settings.md', settingsReference()],
  ['docs/reference/metrics.md', metricsReference()],
  ['docs/reference/cli.md', await cliReference()],
  ['docs/reference/introspection.md', introspectionReference()],
  ['crds/kustomize/merge-keys.yaml', mergeKeys(definitions)],
  ...chartFiles(fileURLToPath(root), definitions),
  [
    'docs/reliability.md',
    withTable(readFileSync(new URL('docs/reliability.md', root), 'utf8'), mutants, []),
  ],
  [
    'docs/images/terminal.svg',
    svgOf(readCast(readFileSync(new URL('docs/images/terminal.cast', root), 'utf8'))),
  ],
]);
const stale = [...outputs].filter(([file, text]) => readOrNothing(file) !== text);
if (isCheck && stale.length > 0) {
  console.error(
    `out of date with crds/, deploy/, the settings, the commands or the mutants: ${stale.map(([file]) => file).join(', ')}; run npm run generate`,
  );
  process.exit(1);
}
for (const [file, text] of stale) {
  mkdirSync(new URL('.', new URL(file, root)), { recursive: true });
  writeFileSync(new URL(file, root), text);
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(new URL(file, root), 'utf8');
  } catch {
    return undefined;
  }
}

function typesText(): string {
  const blocks = definitions.flatMap(({ kind, schema }) => [
    `${comment(schema.properties?.['spec'], '')}export type ${kind}Spec = ${typeOf(schema.properties?.['spec'] ?? {}, '')};`,
    `${comment(schema.properties?.['status'], '')}export type ${kind}Status = ${typeOf(schema.properties?.['status'] ?? {}, '')};`,
  ]);
  const stream = "export type PoolStream = NonNullable<SwarmPoolSpec['streams']>[number];";
  return `// GENERATED from crds/ by scripts/generate.ts: change the CRD, then \`npm run generate\`.\n\n${[...blocks, stream].join('\n\n')}\n`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (schema.type === 'array')
    return `readonly ${parenthesised(typeOf(schema.items ?? {}, indent))}[]`;
  if (schema.additionalProperties !== undefined)
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties, indent)}>>`;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.properties !== undefined)
    return objectType(schema, indent) + (isOpen ? ` & ${UNKNOWN_FIELDS}` : '');
  if (isOpen) return UNKNOWN_FIELDS;
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  return schema.type === undefined ? 'unknown' : schema.type;
}

function parenthesised(type: string): string {
  return /^'.*\|/.test(type) || type.endsWith(` & ${UNKNOWN_FIELDS}`) ? `(${type})` : type;
}

function objectType(schema: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    // A field with a default exists once the validator has run.
    const isThere = schema.required?.includes(name) === true || property.default !== undefined;
    return `${comment(property, inner)}${inner}readonly ${name}${isThere ? '' : '?'}: ${typeOf(property, inner)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function comment(schema: Schema | undefined, indent: string): string {
  return schema?.description === undefined ? '' : `${indent}/** ${schema.description} */\n`;
}

function validatorsText(): string {
  const ajv = new Ajv({
    code: { source: true, optimize: 2 },
    allErrors: true,
    useDefaults: true,
    strict: true,
    allowUnionTypes: true,
    verbose: true,
  });
  addKubernetesWords(ajv);
  const ids: Record<string, string> = {};
  for (const { kind, schema } of definitions) {
    for (const part of ['Spec', 'Status']) {
      ajv.addSchema({
        $id: kind + part,
        ...(strictly(schema.properties?.[part.toLowerCase()] ?? {}) as AnySchemaObject),
      });
      ids[`validate${kind}${part}`] = kind + part;
    }
  }
  // A stream can also be in a list of its own.
  ajv.addSchema({ $id: 'PoolStream', ...(strictly(streamSchema()) as AnySchemaObject) });
  ids['validatePoolStream'] = 'PoolStream';
  return `// GENERATED from crds/ by scripts/generate.ts: change the CRD, then \`npm run generate\`.\n${standaloneCode.default(ajv, ids)}\n`;
}

function streamSchema(): Schema {
  const pool = definitions.find(({ kind }) => kind === 'SwarmPool');
  return pool?.schema.properties?.['spec']?.properties?.['streams']?.items ?? {};
}

function declarationsText(): string {
  const types = [
    ...definitions.flatMap(({ kind }) => [`${kind}Spec`, `${kind}Status`]),
    'PoolStream',
  ];
  return [
    '// GENERATED from crds/ by scripts/generate.ts: change the CRD, then `npm run generate`.',
    "import type { ErrorObject } from 'ajv';",
    `import type { ${types.join(', ')} } from './types.ts';`,
    '',
    'type Validator<T> = { (data: unknown): data is T; errors?: ErrorObject[] | null };',
    ...types.map((type) => `export declare const validate${type}: Validator<${type}>;`),
    '',
  ].join('\n');
}
