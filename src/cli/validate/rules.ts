// Which rules of a schema does an object break? The CEL rules (x-kubernetes-validations) are read
// from the CRD and evaluated as the API server does.
import {
  type CelInput,
  CelScalar,
  celEnv,
  celFunc,
  celMethod,
  isCelError,
  listType,
  parse,
  plan,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { asList, asRecord, dig, own } from '../../api/objects.ts';
import type { Problem } from '../../api/own-object.ts';
import { parseQuantity } from '../../core/quantity.ts';

type Rule = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly optionalOldSelf?: boolean;
};

/** What a schema says besides what ajv checks. */
export type RuleSchema = {
  readonly properties?: Readonly<Record<string, RuleSchema>>;
  readonly items?: RuleSchema;
  readonly additionalProperties?: RuleSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Rule[];
};

type Variables = Record<string, CelInput>;

/** An optional value of Kubernetes' CEL is a list here, of one value or none. */
const optional = listType(CelScalar.DYN);
const environment = celEnv({
  funcs: [
    ...strings,
    celFunc(
      'isQuantity',
      [CelScalar.STRING],
      CelScalar.BOOL,
      (text) => parseQuantity(text) !== undefined,
    ),
    celMethod('hasValue', optional, [], CelScalar.BOOL, function () {
      return this.size > 0;
    }),
    celMethod('value', optional, [], CelScalar.DYN, function () {
      const value = this.get(0);
      if (value === undefined) throw new Error('optional.none() dereference');
      return value;
    }),
  ],
});
const programs = new Map<string, ReturnType<typeof plan>>();

function evaluate(expression: string, variables: Variables): unknown {
  const program = programs.get(expression) ?? plan(environment, parse(expression));
  programs.set(expression, program);
  return program(variables);
}

/**
 * `value` with its defaults. `before`: what it replaces. Rules of fields that are left out are not
 * evaluated, nor those that read one of the `faulty` fields, which are not as their schema says.
 */
export function brokenRules(
  schema: RuleSchema,
  value: unknown,
  before?: unknown,
  { path = '', faulty = [] }: { readonly path?: string; readonly faulty?: readonly string[] } = {},
): readonly Problem[] {
  const here = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => {
    if (fieldsRead(rule, path).some((read) => faulty.some((field) => isIn(field, read)))) return [];
    const message = whyBroken(rule, value, before);
    return message === undefined ? [] : [{ field: path, message }];
  });
  const fields = Object.entries(asRecord(value) ?? {}).flatMap(([name, inner]) => {
    const known = own(schema.properties, name) ?? schema.additionalProperties;
    if (known === undefined) return [];
    const at = { path: joined(path, name), faulty };
    return brokenRules(known, inner, own(asRecord(before), name), at);
  });
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  // The API server finds a former item only by the keys of a map.
  const former = new Map(isMap ? asList(before).map((it) => [keyOf(schema, it), it]) : []);
  const items = asList(value).flatMap((item, index) => {
    const itemBefore = former.get(keyOf(schema, item));
    return brokenRules(schema.items ?? {}, item, itemBefore, { path: `${path}[${index}]`, faulty });
  });
  return [...here, ...duplicates(schema, value, path), ...fields, ...items];
}

/** With the object itself, where a field can be missing, or which is read as a whole. */
function fieldsRead({ rule, messageExpression = '' }: Rule, path: string): readonly ReadField[] {
  const text = `${rule} ${messageExpression}`;
  const fields = [...text.matchAll(/\bself\.(\w+)\b(?!\()/g)].map(([, name = '']) => name);
  const isWhole = text.match(/\bself\b/g)?.length !== fields.length;
  return [
    { at: path, isWhole },
    ...fields.map((name) => ({ at: joined(path, name), isWhole: true })),
  ];
}

type ReadField = { readonly at: string; readonly isWhole: boolean };

const isIn = (field: string, { at, isWhole }: ReadField): boolean =>
  field === at ||
  (isWhole && (at === '' || field.startsWith(`${at}.`) || field.startsWith(`${at}[`)));

/** Undefined: it holds, or it compares with an earlier value and there is none. */
function whyBroken(rule: Rule, self: unknown, before: unknown): string | undefined {
  const isOptional = rule.optionalOldSelf === true;
  if (before === undefined && !isOptional && /\boldSelf\b/.test(rule.rule)) return undefined;
  const old = before === undefined ? [] : [celOf(before)];
  const variables = { self: celOf(self), oldSelf: isOptional ? old : (old[0] ?? null) };
  const result = evaluate(rule.rule, variables);
  if (result === true) return undefined;
  if (isCelError(result)) return `${result.message} evaluating rule: ${rule.message ?? rule.rule}`;
  const { messageExpression } = rule;
  const text = messageExpression === undefined ? undefined : evaluate(messageExpression, variables);
  // The API server, too, falls back on the message where the expression gives no single line.
  if (typeof text === 'string' && /^.*\S.*$/.test(text)) return text;
  return rule.message ?? `failed rule: ${rule.rule}`;
}

/** Whole numbers are CEL's int: no schema of ours has the type number. */
function celOf(value: unknown): CelInput {
  if (Number.isInteger(value)) return BigInt(Number(value));
  if (Array.isArray(value)) return value.map(celOf);
  const record = asRecord(value);
  if (record !== undefined)
    return new Map(Object.entries(record).map(([name, inner]) => [name, celOf(inner)]));
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    ? value
    : null;
}

/** A list of type map or set must not have the same key or item twice. */
function duplicates(schema: RuleSchema, value: unknown, path: string): readonly Problem[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'map' && type !== 'set') return [];
  const first = new Map<string, number>();
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return asList(value).flatMap((item, index) => {
    if (keys.some((key) => dig(item, key) === undefined)) return [];
    const key = keyOf(schema, item);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, index);
      return [];
    }
    const message = `Duplicate value: ${key} is already ${path}[${earlier}]`;
    return [{ field: `${path}[${index}]`, message }];
  });
}

/** As the API server writes it: a set's whole item, a map's keys. */
function keyOf(schema: RuleSchema, item: unknown): string {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys === undefined) return JSON.stringify(item);
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, dig(item, key)])));
}

export const joined = (path: string, name: string): string =>
  path === '' ? name : `${path}.${name}`;
