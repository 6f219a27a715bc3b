// Makes src/api/generated from crds/: types that a person reads, validators that a machine runs. `--check` only tells whether they are up to date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Ajv, type AnySchemaObject } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { load } from 'js-yaml';

type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly 'x-kubernetes-int-or-string'?: boolean;
};

type Definition = {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
};

const root = new URL('../', import.meta.url);
const isCheck = process.argv.includes('--check');

const definitions = readdirSync(new URL('crds/', root))
  .filter((file) => file.endsWith('.yaml'))
  .sort()
  .map((file) => {
    const { names, versions } = (load(readFileSync(new URL(`crds/${file}`, root), 'utf8')) as Definition).spec;
    const schema = versions[0]?.schema.openAPIV3Schema;
    if (schema === undefined) throw new Error(`crds/${file} has no schema`);
    return { kind: names.kind, schema };
  });

const outputs = new Map([
  ['types.ts', typesText()],
  ['validators.cjs', validatorsText()],
  ['validators.d.cts', declarationsText()],
]);
const stale = [...outputs].filter(([name, text]) => readOrNothing(name) !== text);
if (isCheck && stale.length > 0) {
  console.error(`src/api/generated is not what crds/ says (${stale.map(([name]) => name).join(', ')}): run npm run generate`);
  process.exit(1);
}
for (const [name, text] of stale) writeFileSync(new URL(`src/api/generated/${name}`, root), text);

function readOrNothing(name: string): string | undefined {
  try {
    return readFileSync(new URL(`src/api/generated/${name}`, root), 'utf8');
  } catch {
    return undefined;
  }
}

function typesText(): string {
  const blocks = definitions.flatMap(({ kind, schema }) => [
    `${comment(schema.properties?.['spec'], '')}export type ${kind}Spec = ${typeOf(schema.properties?.['spec'] ?? {}, '')};`,
    `${comment(schema.properties?.['status'], '')}export type ${kind}Status = ${typeOf(schema.properties?.['status'] ?? {}, '')};`,
  ]);
  return `// GENERATED from crds/ by scripts/generate.ts: change the CRD, then \`npm run generate\`.\n\n${blocks.join('\n\n')}\n`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (schema.type === 'array') return `readonly ${parenthesised(typeOf(schema.items ?? {}, indent))}[]`;
  if (schema.additionalProperties !== undefined) return `Readonly<Record<string, ${typeOf(schema.additionalProperties, indent)}>>`;
  if (schema.properties !== undefined) return objectType(schema, indent);
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  return schema.type === undefined ? 'unknown' : schema.type;
}

function parenthesised(type: string): string {
  return /^'.*\|/.test(type) ? `(${type})` : type;
}

function objectType(schema: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    // What has a default is there once the validator has run.
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
  for (const keyword of [
    'x-kubernetes-list-type',
    'x-kubernetes-list-map-keys',
    'x-kubernetes-validations',
    'x-kubernetes-int-or-string',
  ]) {
    ajv.addKeyword(keyword);
  }
  for (const format of ['int64', 'int32', 'date-time']) ajv.addFormat(format, true);
  const ids: Record<string, string> = {};
  for (const { kind, schema } of definitions) {
    for (const part of ['Spec', 'Status']) {
      ajv.addSchema({ $id: kind + part, ...(strictly(schema.properties?.[part.toLowerCase()] ?? {}) as AnySchemaObject) });
      ids[`validate${kind}${part}`] = kind + part;
    }
  }
  return `// GENERATED from crds/ by scripts/generate.ts: change the CRD, then \`npm run generate\`.\n${standaloneCode.default(ajv, ids)}\n`;
}

/** For ajv: int-or-string as a union; nothing else differs, so that one file says what is allowed. */
function strictly(schema: Schema): unknown {
  const { properties, items, additionalProperties, description: _, ...rest } = schema;
  return {
    ...rest,
    ...(schema['x-kubernetes-int-or-string'] === true && { type: ['integer', 'string'] }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, strictly(inner)])) }),
    ...(items && { items: strictly(items) }),
    ...(additionalProperties && { additionalProperties: strictly(additionalProperties) }),
  };
}

function declarationsText(): string {
  const types = definitions.flatMap(({ kind }) => [`${kind}Spec`, `${kind}Status`]);
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
