// Which lines of an operator's log does a walk report?
import { expect, it } from '@jest/globals';
import { strangeLinesIn } from '../../support/operator-logs.ts';

const usual = '{"level":"info","message":"leading"}\n{"level":"warn","message":"refused"}\n';

it('none of an operator that works', () => expect(strangeLinesIn(usual)).toEqual([]));

it.each([
  'Trace: a warning of Node',
  '{"level":"error","message":"the ledger cannot be read"}',
  '{"level":"warn","message":"this is a mistake in the operator"}',
  '{"level":"warn","message":"Unhandled rejection"}',
])('%s', (line) => expect(strangeLinesIn(`${usual}${line}\n`)).toEqual([line]));
