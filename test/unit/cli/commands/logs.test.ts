// Which lines of a worker's log does `swarmctl logs` show, and which does it ask for?
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { logs } from '../../../../src/cli/commands/logs.ts';
import { createLog, quoted } from '../../../../src/worker/report/log.ts';
import { logCluster } from '../log-cluster.ts';
import { ran } from '../ran.ts';

const streams = ['cars', 'a "b"'];

/** Written by the worker's own log, at one time. */
const ownLines = (stream: string): readonly string[] => {
  const lines: string[] = [];
  const log = createLog(
    (line) => void lines.push(line.trimEnd()),
    () => new Date(0),
  );
  log.info('started', { stream, pid: 7 });
  log.warn(`stream ${quoted(stream)} ended with code 1, restarting in 51 s`);
  log.info('stopped', { stream });
  return lines;
};
const linesOf = (stream: string): readonly string[] => [
  ...ownLines(stream),
  `[${quoted(stream)}] frames`,
];
const others = [
  '1970-01-01T00:00:00.000Z info assigned version=3',
  '1970-01-01T00:00:00.000Z info started stream=cars2 pid=8',
  '1970-01-01T00:00:00.000Z warn stream cars2 ended with code 1, restarting in 1 s',
  '[cars2] stream cars ended',
];

const all = [...others, ...streams.flatMap(linesOf)];
const cluster = logCluster(streams, (query) =>
  all.map((line) => `${query.has('timestamps') ? '1970-01-02T00:00:00Z ' : ''}${line}\n`).join(''),
);
beforeAll(() => cluster.start());
beforeEach(() => void cluster.logQueries.splice(0));
afterAll(() => cluster.stop());

const shown = (...args: readonly string[]) =>
  ran(logs, 'tv', ...args, '--kubeconfig', cluster.kubeconfig);
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('of the log of its worker it shows', () => {
  it.each(streams)(
    'swarmctl logs shows what the stream %j writes, and what the worker says about it',
    async (stream) => {
      await expect(shown(stream)).resolves.toEqual({
        code: 0,
        stdout: textOf(linesOf(stream)),
        stderr: '',
      });
    },
  );

  it('swarmctl logs shows the same lines with their times', async () => {
    const { stdout } = await shown('cars', '--timestamps');
    expect(stdout).toBe(textOf(linesOf('cars').map((line) => `1970-01-02T00:00:00Z ${line}`)));
  });

  it('swarmctl logs shows every line with --all', async () => {
    await expect(shown('cars', '--all')).resolves.toMatchObject({ stdout: textOf(all) });
  });
});

describe('the API server is asked', () => {
  it.each([
    [[], ''],
    [['--since', '5s'], 'sinceSeconds=5'],
    [['--since', '2m'], 'sinceSeconds=120'],
    [['--since', '1h30m'], 'sinceSeconds=5400'],
    [['--since', '1.5s'], 'sinceSeconds=2'],
    [['--since', '0s'], ''],
    [['--previous'], 'previous=true'],
    [['-p', '--tail', '3'], 'tailLines=1000&previous=true&timestamps=true'],
    [['--tail', '4', '--since', '5s'], 'tailLines=1000&sinceSeconds=5&timestamps=true'],
    [['--all', '--tail', '4'], 'tailLines=4'],
    [['--tail', '0'], 'tailLines=0'],
    [['--timestamps', '-c', 'worker'], 'container=worker&timestamps=true'],
  ])('swarmctl logs asks the API server for %j by the query %j', async (args, query) => {
    await shown('cars', ...args);
    expect(cluster.logQueries.map(String)).toEqual([query]);
  });

  it.each([
    [['--since', '5'], '--since is "5"; allowed is a time such as 5s, 2m or 1h30m'],
    [['--since', 'yesterday'], 'allowed is a time such as 5s, 2m or 1h30m'],
    [
      ['--previous', '--follow'],
      '--previous and --follow exclude each other: a container that has ended writes',
    ],
  ])('swarmctl logs asks the API server nothing for %j', async (args, says) => {
    const { code, stderr } = await shown('cars', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(cluster.logQueries).toEqual([]);
  });
});
