// Do the sample workers read every assignment as the operator means it, with any names of streams
// and parameters?
import { expect, it } from '@jest/globals';
import { readBySamples } from '../../fuzz/samples/samples.ts';

it('the sample workers in Python and Go read 3,000 assignments as the operator means them', () => {
  const read = readBySamples(13, 3_000);
  expect(read.map(({ language }) => language)).toEqual(['python', 'go']);
  for (const { wrong } of read) expect(wrong.slice(0, 3)).toEqual([]);
});
