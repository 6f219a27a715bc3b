// What does a check that is under way know of each promise?
import { describe, expect, it } from '@jest/globals';
import {
  Ledger,
  lineOf,
  type PromiseId,
  promises,
  type RowSoFar,
} from '../../../src/conformance/promises.ts';

/** What was reported while this was done: the promise of each report, and its verdicts so far. */
function reported(act: (ledger: Ledger) => void) {
  const news: string[] = [];
  let last: readonly RowSoFar[] = [];
  act(
    new Ledger((row, all) => {
      news.push(`${row.verdict.is} ${row.id}`);
      last = all;
    }),
  );
  const verdictOn = (id: PromiseId) => last.find((row) => row.id === id)?.verdict.is;
  return { news, last, verdictOn };
}

describe('the progress of a check', () => {
  it('a check reports each promise as its trial begins, and those before it as judged', () => {
    const { news, last, verdictOn } = reported((ledger) => {
      ledger.trying('answers');
      ledger.kept('answers');
      ledger.trying('jobs');
      ledger.notTried('jobs', 'no list');
      ledger.trying('pod-uid');
    });
    expect(news).toEqual(['trying answers', 'trying jobs', 'trying pod-uid']);
    expect([verdictOn('answers'), verdictOn('jobs')]).toEqual(['kept', 'not tried']);
    expect([verdictOn('pod-uid'), verdictOn('drains')]).toEqual(['trying', 'waiting']);
    expect(last).toHaveLength(promises.length);
  });

  it('a check reports a broken promise at once, and once, also during the trial of another', () => {
    const { news, verdictOn } = reported((ledger) => {
      ledger.trying('lets-go');
      ledger.broken('true', 'version 2', 'version 3');
      ledger.broken('true', 'version 2', 'version 4');
      ledger.kept('true');
      ledger.trying('true');
    });
    expect(news).toEqual(['trying lets-go', 'broken true', 'broken true']);
    expect(verdictOn('lets-go')).toBe('waiting');
  });

  it('a promise that is tried reads like its verdict', () => {
    const { last } = reported((ledger) => ledger.trying('health'));
    expect(last.slice(2, 5).map(lineOf)).toEqual([
      'waiting    3 if its answer has `podUid`, it is the UID of its own pod',
      'trying     4 answers GET /internal/health with 200 while it can work',
      'waiting    5 answers unknown requests with an error, and no request keeps it from answering the next one',
    ]);
  });
});
