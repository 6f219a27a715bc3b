// Which pods does the text of a selector find? It has equalities alone: a group needs no more.
import { asRecord } from '../../../../src/api/objects.ts';

export type Equalities = readonly (readonly [label: string, value: string])[];

/** Undefined: there is none. */
export function selectorIn(text: string | undefined): Equalities | undefined {
  if (text === undefined || text === '') return undefined;
  return text.split(',').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at), part.slice(at + 1).replace(/^=/, '')] as const;
  });
}

export const matches = (selector: Equalities, labels: unknown): boolean => {
  const own = asRecord(labels) ?? {};
  return selector.every(([label, value]) => own[label] === value);
};
