// Of which parts is a schema made? Each describes an answer to programs (JSON Schema, as in OpenAPI
// 3.1), and gives the type by which the operator makes it and the page reads it.
declare const describes: unique symbol;

/** `T` is the type of what it describes; no value has that property. */
export type Schema<T = unknown> = Readonly<Record<string, unknown>> & {
  readonly [describes]?: T;
};
export type Described<It> = It extends Schema<infer T> ? T : never;

/** A name that ends with a question mark may be missing. */
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

/** No field is answered that is not named here. */
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

/** Of a list that may be long: how many there are, and the first of them. */
export type First<T> = { readonly total: number; readonly first: readonly T[] };

export const first = <T>(
  items: Schema<T>,
  description: string,
  { total = 'How many there are.', part = 'The first 100 of them.' } = {},
): Schema<First<T>> => object(description, { total: whole(total), first: list(items, part) });

export const ref = <T>(name: string): Schema<T> => ({ $ref: `#/components/schemas/${name}` });

/** A part of a list; `after=next` asks for the part behind it. */
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
