// How does the body of a watch become events, in whatever chunks it arrives?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { WatchEvent } from '../../../../src/runtime/client/api.ts';
import { watchEvents } from '../../../../src/runtime/client/watch-events.ts';

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let round = 0; at < bytes.length; round += 1) {
    const size = sizes[round % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(text: string, sizes: readonly number[]): Promise<readonly WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of watchEvents(chunked(new TextEncoder().encode(text), sizes)))
    events.push(event);
  return events;
}

const line = (name: string, rest: object = {}): string =>
  `${JSON.stringify({ type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name, resourceVersion: '1' }, ...rest } })}\n`;

describe('the body of a watch', () => {
  it.each([
    ['a line that is not JSON', '}\r\n', 'not JSON'],
    [
      'an object with invalid labels',
      line('a', { metadata: { name: 'a', labels: { b: 1 } } }),
      'an invalid event',
    ],
    [
      'a bookmark with an invalid name',
      line('a').replace('ADDED', 'BOOKMARK').replace('"a"', '{}'),
      undefined,
    ],
    [
      'an error of two lines',
      '{"type":"ERROR","object":{"code":500,"message":"two\\nlines"}}\n',
      'two lines',
    ],
  ])(
    'a watch with %s fails with an error of one line, or returns an object',
    async (_, text, says) => {
      if (says === undefined)
        return expect((await read(text, [7])).map(({ object }) => object.metadata.name)).toEqual([
          '',
        ]);
      const failed: unknown = await read(text, [7]).catch((error: unknown) => error);
      expect(failed).toMatchObject({
        message: expect.stringMatching(new RegExp(`^[\\P{Cc}]*${says}[\\P{Cc}]*$`, 'u')),
      });
    },
  );

  it.each([
    [1, 1_000],
    [536, 120_000],
    [1e300, 120_000],
    [0, undefined],
    [-1, undefined],
  ])(
    'a watch with an error that asks to wait for %d s leads to a bounded delay',
    async (retryAfterSeconds, retryAfterMs) => {
      const text = `${JSON.stringify({ type: 'ERROR', object: { code: 429, message: 'no', details: { retryAfterSeconds } } })}\n`;
      expect(await read(text, [7]).catch((error: unknown) => error)).toMatchObject({
        code: 'TooManyRequests',
        retryAfterMs,
      });
    },
  );

  it('a watch gives the same events wherever its chunks are split, also within a character', async () => {
    const names = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 5 });
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(names, sizes, async (given, cuts) => {
        const events = await read(given.map((name) => line(name)).join(''), cuts);
        expect(events.map(({ object }) => object.metadata.name)).toEqual(given);
      }),
    );
  });

  it('an event of 3 MB costs as much for each chunk at its end as at its beginning', async () => {
    const cost = async (bytes: number): Promise<number> => {
      const text = line('big', { data: 'x'.repeat(bytes) });
      const costs: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const before = process.cpuUsage();
        const [event] = await read(text, [1024]);
        costs.push(process.cpuUsage(before).user);
        expect(String(event?.object['data']).length).toBe(bytes);
      }
      return Math.min(...costs);
    };
    // Ten times as much costs ten times as much; if each chunk cost what came before it, a hundred
    // times.
    const small = await cost(300_000);
    expect(await cost(3_000_000)).toBeLessThan(40 * Math.max(small, 2_000));
  });

  it('a watch may contain empty lines and Windows line ends', async () => {
    expect(await read(`\n${line('a').replace('\n', '\r\n')}\r\n\n${line('b')}`, [7])).toHaveLength(
      2,
    );
  });

  const rows: [what: string, text: string, error: object][] = [
    ['a line that is not JSON', 'nonsense\n', { code: 'BadAnswer' }],
    ['an end within an event', line('a').slice(0, -5), { code: 'BadAnswer' }],
    [
      'an object without a name',
      '{"type":"ADDED","object":{"metadata":{}}}\n',
      { code: 'BadAnswer' },
    ],
    [
      'a bookmark without a version',
      '{"type":"BOOKMARK","object":{"metadata":{}}}\n',
      { code: 'BadAnswer' },
    ],
    [
      'an error that is 410',
      '{"type":"ERROR","object":{"code":410,"message":"old"}}\n',
      { code: 'Gone', status: 410 },
    ],
    ['an error without a message', '{"type":"ERROR"}\n', { code: 'Unavailable' }],
    [
      'an error with a retry time',
      '{"type":"ERROR","object":{"code":429,"details":{"retryAfterSeconds":2}}}\n',
      { code: 'TooManyRequests', retryAfterMs: 2000 },
    ],
  ];
  it.each(rows)('a watch with %s fails with an error that says so', async (_, text, error) => {
    await expect(read(text, [16])).rejects.toMatchObject(error);
  });

  it('an empty watch ends without an error', async () => {
    expect(await read('', [1])).toEqual([]);
  });
});
