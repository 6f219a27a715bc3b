// Does the reading of a log end when the API server falls silent in the middle of it?
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { logLines } from '../../../../src/cli/cluster/logs.ts';
import type { PooledKubeConfig } from '../../../../src/runtime/client/config.ts';
import { configOf, listen } from '../../../support/local-servers.ts';

/** It sends the beginning of each log, and no end. */
const server = createServer((_, response) => void response.write('one\ntw'));
let config: PooledKubeConfig;
beforeAll(async () => {
  config = configOf(await listen(server));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const SILENT_MS = 200;

const readLog = (follow: boolean, signal: AbortSignal, silentMs = SILENT_MS) =>
  logLines(
    config,
    { namespace: 'swarm', name: 'worker-0' },
    { follow, tail: undefined, container: undefined },
    signal,
    { silentMs },
  );

it('a log that falls silent before its end is shown as far as it came, and reported', async () => {
  const lines: string[] = [];
  const read = async (): Promise<void> => {
    for await (const line of readLog(false, new AbortController().signal)) lines.push(line);
  };
  await expect(read()).rejects.toThrow(
    'the log of worker-0 is incomplete: the API server sent nothing more for 0.2 s, and did not end it',
  );
  expect(lines).toEqual(['one', 'tw']);
});

it('a log that is followed may be silent', async () => {
  const ended = new AbortController();
  const followed = readLog(true, ended.signal);
  await followed.next();
  let isOver = false;
  const next = followed.next().catch((error: Error) => {
    isOver = true;
    return error.name;
  });
  const other = readLog(false, ended.signal, 2 * SILENT_MS);
  await other.next();
  await other.next();
  await expect(other.next()).rejects.toThrow('is incomplete');
  expect(isOver).toBe(false);
  ended.abort();
  expect(await next).toBe('AbortError');
});
