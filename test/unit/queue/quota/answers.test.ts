// Does the operator count and refuse pods as the API server once answered? Many pods, in a table.
import { expect, it } from '@jest/globals';
import { disagreements } from '../../../support/quota-answers/judge.ts';
import { readTable } from '../../../support/quota-answers/table.ts';

const { cases, ...cluster } = readTable();

it.each(cases.map((it) => [it.name, it] as const))(
  'the operator counts and refuses pods as the API server did in %s',
  (_, answered) => expect(disagreements(answered, cluster)).toEqual([]),
);
