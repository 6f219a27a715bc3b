// What does worker-check show while it runs, and does its result stay apart from that?
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { terminalOf } from '../../../../src/cli/arguments/terminal.ts';
import { workerCheck } from '../../../../src/cli/commands/worker-check.ts';
import { makeScreen } from '../../../../src/cli/views/screen.ts';
import { ran } from '../ran.ts';

const worker = createServer(({ url }, response) => {
  if (url === '/internal/version') response.end('{"version":3,"jobs":["a","a"]}');
  else response.writeHead(url === '/internal/health' ? 200 : 404).end();
});
let url = '';
beforeAll(async () => {
  worker.listen(0, '127.0.0.1');
  await once(worker, 'listening');
  url = `http://127.0.0.1:${(worker.address() as AddressInfo).port}`;
});
afterAll(() => void worker.close());

/** Verdict and number of each line. */
const heads = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => /^(?:[a-z]+ )+ *\d+/.exec(line)?.[0].replace(/ +/, ' ') ?? []);

const tried = ['trying 1', 'trying 2', 'broken 2', 'trying 3', 'trying 17', 'trying 4', 'trying 5'];

describe('worker-check', () => {
  it('worker-check without a terminal has a line on standard error for each promise that it tries', async () => {
    const { code, stdout, stderr } = await ran(workerCheck, url);
    expect(code).toBe(1);
    expect(heads(stderr)).toEqual(tried);
    expect(heads(stdout).slice(0, 5)).toEqual([
      'kept 1',
      'broken 2',
      'not tried  3',
      'kept 4',
      'kept 5',
    ]);
    expect(stdout).not.toMatch(/trying|waiting/);
  });

  it('worker-check -o json prints nothing but JSON on standard output', async () => {
    const { stdout, stderr } = await ran(workerCheck, url, '-o', 'json');
    expect(JSON.parse(stdout)).toHaveLength(18);
    expect(heads(stderr)).toEqual(tried);
  });

  it('worker-check on a terminal redraws the list, and leaves only the verdicts', async () => {
    const drawn: string[] = [];
    const out: string[] = [];
    const write = (text: string): boolean => drawn.push(text) > 0;
    const screen = { isTTY: true, columns: 60, rows: 30, write, on: () => 0, off: () => 0 };
    await workerCheck.main([url], {
      ...terminalOf('swarmctl', () => ''),
      screen: () => makeScreen(screen, { NO_COLOR: '1' }),
      note: (line) => void drawn.push(`note ${JSON.stringify(line)}`),
      out: (text) => void out.push(text),
    });
    expect(heads(drawn[0]?.replace(/^[^a-z]*/, '') ?? '').slice(0, 2)).toEqual([
      'trying 1',
      'waiting 2',
    ]);
    expect(drawn.join('')).not.toContain('note');
    // The last drawing goes to its top, and erases all below.
    expect(drawn.at(-1)).toBe('\r\u001b[18A\u001b[J');
    expect(heads(out.join('\n'))).toHaveLength(18);
  });
});
