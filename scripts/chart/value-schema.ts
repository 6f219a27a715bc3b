// What is told of a value of the chart? Its JSON Schema, with what else values.yaml and the README
// show.

export type ValueSchema = {
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'array';
  readonly description: string;
  /** Without one, values.yaml shows the value as a comment. */
  readonly default?: unknown;
  /** What is shown in that comment; no part of the schema. */
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: boolean | { readonly type: 'string' };
  readonly items?: object;
  readonly uniqueItems?: boolean;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

/** As Helm reads it: of what is not free, nothing unknown is accepted. */
export function jsonSchema(values: Readonly<Record<string, ValueSchema>>): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...plain({
      type: 'object',
      description: 'Values of the chart swarm-operator.',
      properties: values,
    }),
  };
}

function plain({ properties, example: _, ...rest }: ValueSchema): object {
  if (properties === undefined) return rest;
  const inner = Object.entries(properties).map(([name, value]) => [name, plain(value)]);
  return { ...rest, additionalProperties: false, properties: Object.fromEntries(inner) };
}
