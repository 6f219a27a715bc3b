// Which fields does a schema have, which values do they allow, and what are their defaults?
import type { Rule, Schema } from '../definitions/schema.ts';
import { code, listed } from './markdown.ts';

/** `segments` lead to it from the root; `[]` stands for any item of a list. */
export type Field = {
  readonly path: string;
  readonly segments: readonly string[];
  readonly schema: Schema;
  readonly isRequired: boolean;
};

/** Each field below this one, in the order of the schema, a parent before its children. */
export function fieldsOf(
  schema: Schema,
  path: string,
  segments: readonly string[] = [],
): readonly Field[] {
  if (schema.items !== undefined) return fieldsOf(schema.items, `${path}[]`, [...segments, '[]']);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const isRequired = schema.required?.includes(name) === true;
    const field = {
      path: `${path}.${name}`,
      segments: [...segments, name],
      schema: inner,
      isRequired,
    };
    return [field, ...fieldsOf(inner, field.path, field.segments)];
  });
}

export function typeText(schema: Schema): string {
  if (schema.enum !== undefined) return listed(schema.enum.map(code), 'or');
  if (schema['x-kubernetes-int-or-string'] === true) return 'number or text';
  if (schema.additionalProperties !== undefined) {
    const size = bounds(schema.minProperties, schema.maxProperties, 'entries');
    return `values by name${size}; each: ${typeText(schema.additionalProperties)}`;
  }
  switch (schema.type) {
    case 'array':
      return listText(schema);
    case 'integer':
      return `whole number${bounds(schema.minimum, schema.maximum, '')}`;
    case 'string':
      return schema.format === 'date-time'
        ? 'time'
        : `text${bounds(schema.minLength, schema.maxLength, 'characters')}${patternText(schema)}`;
    case 'boolean':
      return `${code('true')} or ${code('false')}`;
    default:
      return 'object';
  }
}

function listText(schema: Schema): string {
  const items = schema.items ?? {};
  const isOfObjects = items.properties !== undefined;
  const text = `list${isOfObjects ? ' of objects' : ''}${bounds(schema.minItems, schema.maxItems, 'entries')}${uniqueness(schema)}`;
  return isOfObjects ? text : `${text}; each: ${typeText(items)}`;
}

function bounds(min: number | undefined, max: number | undefined, unit: string): string {
  const number = (value: number): string => value.toLocaleString('en-US');
  const of = unit === '' ? '' : ` ${unit}`;
  if (max === undefined) return min === undefined ? '' : `, at least ${number(min)}${of}`;
  return min === undefined
    ? `, at most ${number(max)}${of}`
    : `, ${number(min)} to ${number(max)}${of}`;
}

function uniqueness(schema: Schema): string {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys !== undefined) return `, unique by ${keys.join(' and ')}`;
  return schema['x-kubernetes-list-type'] === 'set' ? ', no duplicates' : '';
}

const patternText = ({ pattern }: Schema): string =>
  pattern === undefined ? '' : `, matching ${code(pattern)}`;

/** The sentence of a description that gives the default. */
const DEFAULT = /\s*Default: (.+?)\.(?=\s|$)/;

export const meaningOf = ({ description = '' }: Schema): string =>
  description.replace(DEFAULT, '').trim();

export function defaultText({ schema, isRequired }: Field): string {
  if (isRequired) return 'required';
  if (typeof schema.default !== 'object' && schema.default !== undefined)
    return code(String(schema.default));
  const told = DEFAULT.exec(schema.description ?? '')?.[1];
  if (told !== undefined) return told;
  if (schema.items !== undefined || schema.additionalProperties !== undefined) return 'none';
  const isGroup = schema.properties !== undefined && schema.required === undefined;
  return isGroup ? 'as its fields say' : '–';
}

export type PlacedRule = Rule & { readonly path: string };

/** Rules against combinations of values that are allowed one by one. */
export function rulesOf(schema: Schema, path: string): readonly PlacedRule[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ ...rule, path }));
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
    rulesOf(inner, path === '' ? name : `${path}.${name}`),
  );
  return [
    ...own,
    ...below,
    ...(schema.items === undefined ? [] : rulesOf(schema.items, `${path}[]`)),
    ...(schema.additionalProperties === undefined
      ? []
      : rulesOf(schema.additionalProperties, `${path}.*`)),
  ];
}
