// Does `swarmctl logs --tail` count the lines of the stream, whatever others write between them?
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { withCluster } from '../../../../src/cli/cluster/connect.ts';
import { followStream } from '../../../../src/cli/cluster/follow-stream.ts';
import { observePool } from '../../../../src/cli/cluster/observe-pool.ts';
import { isAbout } from '../../../../src/cli/cluster/stream-lines.ts';
import { logs } from '../../../../src/cli/commands/logs.ts';
import { answerOf, logCluster } from '../log-cluster.ts';
import { ran } from '../ran.ts';

let log: readonly string[] = [];
/** Called after each answer. */
let onAnswer: () => void = () => undefined;
const cluster = logCluster(['cars', 'busy'], (query) => {
  const answer = answerOf(log, query);
  onAnswer();
  return answer;
});
beforeAll(() => cluster.start());
afterEach(() => {
  onAnswer = () => undefined;
  cluster.logQueries.splice(0);
});
afterAll(() => cluster.stop());

const at = (ms: number): string => new Date(ms).toISOString();
const car = (n: number): string => `${at(n)} [cars] ${n}`;
const busy = (count: number, text = ''): readonly string[] =>
  Array<string>(count).fill(`${at(0)} [busy] ${text}`);
const cars = [0, 1, 2, 3, 4].map(car);
const textsOf = (lines: readonly string[]): string =>
  lines.map((line) => `${line.slice(line.indexOf(' ') + 1)}\n`).join('');

const tailsAsked = (): readonly (string | null)[] =>
  cluster.logQueries.map((query) => query.get('tailLines'));

const unread = (found: number, read: number): string =>
  `the last ${read} lines in the log of worker-0 include only ${found} about cars; older lines were not read\n`;

describe('logs --tail', () => {
  it.each([
    ['three lines, before a busy stream', [...cars, ...busy(50)], 3, 3, ['1000'], ''],
    [
      'three lines, between those of a very busy stream',
      [...busy(20_000), ...cars, ...busy(4_000)],
      3,
      3,
      ['1000', '10000'],
      '',
    ],
    ['more lines than a first request for few', cars, 2_000, 5, ['20000'], ''],
    ['more lines than the last request for few', cars, 30_000, 5, ['200000'], ''],
    [
      'a log whose long lines may count as several',
      [...busy(300, 'x'.repeat(16 * 1024)), ...cars],
      9,
      5,
      ['1000', '10000'],
      '',
    ],
    ['a log with fewer lines', [...busy(7), ...cars], 9, 5, ['1000'], ''],
    ['no line', busy(7), 9, 0, ['1000'], ''],
    ['an empty log', [], 9, 0, ['1000'], ''],
    [
      'lines that are older than very many others',
      [...cars, ...busy(199_998)],
      3,
      2,
      ['1000', '10000', '100000', '200000'],
      unread(2, 200_000),
    ],
    [
      'lines that are older than many long ones',
      [...cars, ...busy(999, 'x'.repeat(17 * 1024))],
      3,
      1,
      ['1000'],
      unread(1, 1_000),
    ],
  ])('logs --tail reads %s', async (_, lines, tail, found, asked, stderr) => {
    log = lines;
    const args = ['tv', 'cars', '--tail', String(tail), '--kubeconfig', cluster.kubeconfig];
    const stdout = found === 0 ? '' : textsOf(cars.slice(-found));
    await expect(ran(logs, ...args)).resolves.toEqual({ code: 0, stdout, stderr });
    expect(tailsAsked()).toEqual(asked);
  });
});

/** Follows `cars`, until it has shown as many lines. */
async function followed(tail: number, count: number): Promise<readonly string[]> {
  const shown: string[] = [];
  const { kubeconfig } = cluster;
  await withCluster({ kubeconfig, namespace: undefined, context: undefined }, async (connected) => {
    const world = await observePool(connected.api, 'swarm', 'tv', { probes: false });
    const ended = new AbortController();
    const options = { follow: true, tail, container: undefined };
    const show = (line: string): void => {
      shown.push(line);
      if (shown.length >= count) ended.abort();
    };
    const isMeant = (text: string): boolean => isAbout('cars', text);
    const what = {
      stream: 'cars',
      worker: 'worker-0',
      options,
      isMeant,
      show,
      timeoutMs: 3_600_000,
    };
    const problem = (text: string): void => void shown.push(text);
    await followStream(connected, world, what, ended, { problem, note: () => undefined });
    return 0;
  });
  return shown;
}

describe('logs --tail --follow', () => {
  it.each([
    ['lines of the same time', [car(5), car(5), car(5)], [car(5), car(5)]],
    ['lines of the same second', [car(5), car(5), car(990)], [car(991), car(992)]],
    ['lines of another second', [car(5), car(5), car(990)], [car(1_500), car(70_000)]],
    ['a busy stream between', [car(5), car(5), car(990), ...busy(90)], [...busy(9), car(991)]],
    ['a busy stream last', [car(5), car(5), car(6), `${at(7)} [busy]`], [car(7), car(8)]],
    ['an empty log', [], [car(5), car(5), car(6)]],
  ])('logs --tail --follow shows each line once, with %s', async (_, before, later) => {
    log = before;
    onAnswer = () => {
      log = [...before, ...later];
    };
    const isCar = (line: string): boolean => line.includes('[cars]');
    const wanted = [...before.filter(isCar).slice(-2), ...later.filter(isCar)];
    expect(await followed(2, wanted.length)).toEqual(wanted);
    const [first, second] = cluster.logQueries;
    expect(first?.has('follow')).toBe(false);
    expect([second?.get('follow'), second?.has('tailLines')]).toEqual(['true', false]);
  });
});
