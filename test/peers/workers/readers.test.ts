// Do the sample workers read every assignment as the operator means it, with any names of streams
// and parameters?
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { readBySamples, type SampleReaders } from '../../fuzz/samples/samples.ts';
import { goSamples, python } from './languages.ts';

const readers: SampleReaders = {
  ...(python !== undefined && { python }),
  ...(goSamples !== undefined && { go: path.join(goSamples, 'reader') }),
};

(Object.keys(readers).length === 0 ? it.skip : it)(
  'the sample workers in Python and Go read 3,000 assignments as the operator means them',
  () => {
    const read = readBySamples(13, 3_000, readers);
    expect(read.map(({ language }) => language)).toEqual(Object.keys(readers));
    for (const { wrong } of read) expect(wrong.slice(0, 3)).toEqual([]);
  },
);
