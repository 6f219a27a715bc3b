// Which values does this version refuse although the schema allows them? The code that refuses them is asked, one value at a time.
import { Ajv } from 'ajv';
import { addKubernetesWords, type Schema, strictly } from '../schema.ts';
import type { Field } from './fields.ts';
import { code, listed } from './markdown.ts';

/** Is a spec refused, of which everything is left out but what is given? */
export type IsRefused = (spec: unknown) => boolean;

/** `refuses` gets specs that are filled with what the schema says of fields that are left out. */
export function refusalsOf<Spec>(schema: Schema, refuses: (spec: Spec) => boolean): IsRefused {
  const ajv = new Ajv({ useDefaults: true, strict: true, allowUnionTypes: true });
  addKubernetesWords(ajv);
  const isSpec = ajv.compile<Spec>(strictly(schema));
  const isRefused: IsRefused = (spec) => {
    const candidate = structuredClone(spec);
    if (!isSpec(candidate)) throw new Error(`not a spec: ${JSON.stringify(spec)}: ${ajv.errorsText(isSpec.errors)}`);
    return refuses(candidate);
  };
  if (isRefused(sample(schema))) throw new Error('a spec of nothing but defaults is refused: what is left for users?');
  return isRefused;
}

/** "`Deployment` is refused", "anything but `100` is refused", "refused"; nothing where every value is taken. */
export function refusedText({ schema, segments }: Field, root: Schema, isRefused: IsRefused): string | undefined {
  const values = candidates(schema);
  const refused = values.filter((value) => isRefused(specWith(root, segments, value)));
  if (refused.length === 0) return undefined;
  const names = (some: readonly unknown[]): string =>
    listed(
      some.map((value) => code(String(value))),
      'and',
    );
  if (schema.enum !== undefined) return `${names(refused)} ${refused.length > 1 ? 'are' : 'is'} refused`;
  const taken = values.filter((value) => !refused.includes(value));
  return taken.length > 0 ? `anything but ${names(taken)} is refused` : 'refused';
}

/** Values that are worth a try: all, where they can be named; else the least, the default and the one after it. */
function candidates(schema: Schema): readonly unknown[] {
  if (schema.enum !== undefined) return schema.enum;
  if (schema.items !== undefined) return [[sample(schema.items)]];
  if (schema.additionalProperties !== undefined) return [{ any: sample(schema.additionalProperties) }];
  if (schema['x-kubernetes-int-or-string'] === true) return [schema.default, Number(schema.default) + 1];
  switch (schema.type) {
    case 'integer': {
      const least = schema.minimum ?? 0;
      return [...new Set([least, Number(schema.default ?? least), Number(schema.default ?? least) + 1])];
    }
    case 'string':
      return schema.default === undefined ? ['x'] : [schema.default, `${String(schema.default)}x`];
    case 'boolean':
      return [true, false];
    default:
      return [];
  }
}

/** The least that is allowed to stand there. */
function sample(schema: Schema): unknown {
  if (schema.properties === undefined) return candidates(schema)[0] ?? {};
  const required = (schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})] as const);
  return Object.fromEntries(required);
}

function specWith(schema: Schema, segments: readonly string[], value: unknown): unknown {
  const [first, ...rest] = segments;
  if (first === undefined) return value;
  if (first === '[]') return [specWith(schema.items ?? {}, rest, value)];
  return { ...Object(sample(schema)), [first]: specWith(schema.properties?.[first] ?? {}, rest, value) };
}
