// Which parts of a CustomResourceDefinition do scripts read, and how does ajv get its schema?
import { readdirSync, readFileSync } from 'node:fs';
import type { Ajv } from 'ajv';
import { load } from 'js-yaml';

export type Rule = {
  readonly rule: string;
  readonly message: string;
  readonly optionalOldSelf?: boolean;
};

export type Schema = {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Rule[];
};

export type Column = {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
  readonly description?: string;
};

export type Definition = {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly apiVersion: string;
  readonly columns: readonly Column[];
  readonly schema: Schema;
};

type Manifest = {
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly {
      readonly name: string;
      readonly additionalPrinterColumns?: readonly Column[];
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
};

/** The CRDs of a folder, in the order of their file names. */
export function readDefinitions(folder: URL): readonly Definition[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files.sort().map((file) => {
    const { group, names, versions } = (
      load(readFileSync(new URL(file, folder), 'utf8')) as Manifest
    ).spec;
    const [version] = versions;
    if (version === undefined) throw new Error(`crds/${file} has no version`);
    return {
      kind: names.kind,
      plural: names.plural,
      shortNames: names.shortNames ?? [],
      apiVersion: `${group}/${version.name}`,
      columns: version.additionalPrinterColumns ?? [],
      schema: version.schema.openAPIV3Schema,
    };
  });
}

/**
 * For ajv: int-or-string as a union; the rest is the same, so that one file defines what is
 * allowed.
 */
export function strictly(schema: Schema): object {
  const { properties, items, additionalProperties, description: _, ...rest } = schema;
  return {
    ...rest,
    ...(schema['x-kubernetes-int-or-string'] === true && { type: ['integer', 'string'] }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, strictly(inner)]),
      ),
    }),
    ...(items && { items: strictly(items) }),
    ...(additionalProperties && { additionalProperties: strictly(additionalProperties) }),
  };
}

/** Keywords that Kubernetes knows and ajv does not. */
export function addKubernetesWords(ajv: Ajv): void {
  const keywords = [
    'x-kubernetes-list-type',
    'x-kubernetes-list-map-keys',
    'x-kubernetes-validations',
    'x-kubernetes-int-or-string',
    'x-kubernetes-preserve-unknown-fields',
  ];
  for (const keyword of keywords) ajv.addKeyword(keyword);
  for (const format of ['int64', 'int32', 'date-time']) ajv.addFormat(format, true);
}
