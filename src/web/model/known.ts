// Which objects of a kind are known, in the order of their names?
import { byName } from './words.ts';

export type ObjectRef = { readonly namespace: string; readonly name: string };
export type Known<T> = ReadonlyMap<string, T>;

export const keyOf = ({ namespace, name }: ObjectRef): string => `${namespace}/${name}`;

export const knownFrom = <T extends ObjectRef>(items: readonly T[]): Known<T> =>
  new Map(
    items
      .toSorted((a, b) => byName(a.namespace, b.namespace) || byName(a.name, b.name))
      .map((item) => [keyOf(item), item]),
  );

export const withOne = <T extends ObjectRef>(known: Known<T>, item: T): Known<T> =>
  knownFrom([...without(known, item).values(), item]);

export const without = <T>(known: Known<T>, ref: ObjectRef): Known<T> =>
  new Map([...known].filter(([key]) => key !== keyOf(ref)));
