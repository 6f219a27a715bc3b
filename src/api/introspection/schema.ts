// Which parts does a schema have? Each describes an answer to programs (JSON Schema, as in OpenAPI
// 3.1), and provides the type with which the operator creates it and the page reads it.
declare const describes: unique symbol;

/** `T` is the type of the described value; no value has this property. */
export type Schema<T = unknown> = Readonly<Record<string, unknown>> & {
  readonly [describes]?: T;
};
export type Described<It> = It extends Schema<infer T> ? T : never;

/** A field may be missing if its name ends with a question mark. */
export type Fields = Readonly<Record<string, Schema>>;
type ObjectOf<All extends Fields> = {
  readonly [Name in keyof All as Name extends `${string}?` ? never : Name]: Described<All[Name]>;
} & {
  readonly [Name in keyof All as Name extends `${infer Bare}?` ? Bare : never]?:
    | Described<All[Name]>
    | undefined;
};

export const text = (description: string): Schema<string> => ({ type: 'string', description });
export const number = (description: string): Schema<number> => ({
  type: 'number',
  minimum: 0,
  description,
});
export const whole = (description: string): Schema<number> => ({
  ...number(description),
  type: 'integer',
});
export const yes = (description: string): Schema<boolean> => ({ type: 'boolean', description });
export const oneOf = <const T extends string>(
  among: readonly T[],
  description?: string,
): Schema<T> => ({
  type: 'string',
  enum: among,
  ...(description !== undefined && { description }),
});
export const list = <T>(items: Schema<T>, description: string): Schema<readonly T[]> => ({
  type: 'array',
  items,
  description,
});

/** Answers contain no other fields than these. */
export function object<const All extends Fields>(
  description: string,
  fields: All,
): Schema<ObjectOf<All>> {
  const names = Object.keys(fields);
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ''), schema]),
    ),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

/** A list that may be long: its length, and its first items. */
export type First<T> = { readonly total: number; readonly first: readonly T[] };

export const first = <T>(
  items: Schema<T>,
  description: string,
  { total = 'How many there are.', part = 'The first 100 of them.' } = {},
): Schema<First<T>> => object(description, { total: whole(total), first: list(items, part) });

export const ref = <T>(name: string): Schema<T> => ({ $ref: `#/components/schemas/${name}` });

/** A part of a list; `after=next` requests the part after it. */
export type Page<T> = {
  readonly total: number;
  readonly items: readonly T[];
  readonly next?: string | undefined;
};

export const page = 'A part of a list, in the order of names.';
export const pageOf = <T>(name: string) => ({
  total: whole('How many there are in all.'),
  items: list(ref<T>(name), 'At most `limit` of them.'),
  'next?': text('Pass this as `after` to get the next page. Absent: this is the last page.'),
});
