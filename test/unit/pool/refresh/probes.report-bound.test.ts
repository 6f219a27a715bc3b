// Is every honest answer within its bound, and every bound in proportion to the worker's
// assignment?
import { describe, expect, it } from '@jest/globals';
import { readBoundedReport } from '../../../../src/api/report.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { settled } from '../../../support/pool-decisions.ts';
import {
  NOW,
  nothingPublished,
  retargeted,
  slicesOf,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const probesOf = (at: PoolWorld) => decidePool(at, NOW).probes;

describe('the bound of an answer', () => {
  it('the bound of an answer grows with the streams of its worker, not with those of others', () => {
    const [few, many] = [10, 2_000].map(
      (streams) => probesOf(settled(world({ streams, workers: 2 })))[0]?.most,
    );
    expect(few).toEqual({ jobs: 1_005, bytes: 192 * 1024 + 5 * 16 + 5 * 2 * 6 });
    expect(many?.jobs).toBe(2_000);
  });

  it('the bound of an answer leaves room for streams that a worker had before or is releasing', () => {
    const at = settled(
      world({ streams: 2_000, workers: 2, spec: { handoff: { type: 'Exclusive' } } }),
    );
    expect(probesOf(withStreams(at, ['s0']))[0]?.most.jobs).toBeGreaterThanOrEqual(1_000 + 1_000);
    expect(probesOf(retargeted(at, 'other'))[0]?.most.jobs).toBeGreaterThanOrEqual(1_000 + 1_000);
  });

  it.each([
    ['is lost', (at: PoolWorld): PoolWorld => ({ ...at, published: nothingPublished })],
    ['is older than what was seen', (at: PoolWorld): PoolWorld => ({ ...at, highestSeen: 9 })],
  ])('the bound of an answer is that of the whole list where the record %s', (_, change) => {
    const at = change(settled(world({ streams: 2_000, workers: 2 })));
    expect(probesOf(at)[0]?.most.jobs).toBeGreaterThanOrEqual(1_000 + 2_000);
  });

  it.each([
    ['with long names', (index: number) => `${'long '.repeat(24)}${index}`],
    ['with names that JSON may escape', (index: number) => `${'й😀"'.repeat(20)}${index}`],
  ])('the bound of an answer leaves room for the whole answer of a worker %s', (_, nameOf) => {
    const at = settled(
      world({ streams: Array.from({ length: 1_000 }, (_, index) => nameOf(index)), workers: 1 }),
    );
    const jobs = slicesOf(at).get('worker-0')?.jobs ?? [];
    const escaped = JSON.stringify({ version: 1, jobs }, undefined, 8).replace(
      /[^\n -~]/g,
      (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const most = probesOf(at)[0]?.most ?? { jobs: 0, bytes: 0 };
    expect(jobs).toHaveLength(1_000);
    expect(Buffer.byteLength(escaped)).toBeLessThan(most.bytes);
    expect(readBoundedReport(escaped, most.jobs)).toEqual({ version: 1, jobs });
  });
});
