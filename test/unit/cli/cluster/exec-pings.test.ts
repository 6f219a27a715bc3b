// Does a command in a container notice that its connection is gone, and only then?
import { PassThrough, Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { eventually } from '../../../support/processes.ts';
import { executions } from '../executions.ts';

const { upgrades, executing } = executions();

const BROKEN = { problem: 'the connection broke before the command had ended' };
/** Long enough for an answer on a busy machine. */
const PING_MS = 250;
const pinging = { pingMs: PING_MS };

it.each(['pong', 'output'] as const)(
  'a silent command runs on while the answers to pings are %s',
  async (answer) => {
    upgrades.pingAnswer = answer;
    const stdin = new PassThrough();
    const { end, stdout } = executing('read -r _; exit 3', { stdin }, pinging);
    stdout.resume();
    let isOver = false;
    const ended = end.finally(() => {
      isOver = true;
    });
    await eventually('there were some pings', () => isOver || upgrades.pings >= 4);
    stdin.write('\n');
    expect(await ended).toEqual({ exitCode: 3 });
  },
);

it('a connection on which nothing comes any more is noticed', async () => {
  upgrades.pingAnswer = 'nothing';
  expect(await executing('exec sleep 60', {}, pinging).end).toEqual(BROKEN);
});

it('a reader that stops for longer than two pings breaks no connection', async () => {
  const BYTES = 6_000_000;
  let stops = 0;
  let bytes = 0;
  const stdout = new Writable({
    // Each write pauses the connection until it is done.
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      const before = bytes;
      bytes += chunk.length;
      if (Math.floor(bytes / 2_000_000) === Math.floor(before / 2_000_000)) return done();
      stops += 1;
      setTimeout(done, 2.5 * PING_MS);
    },
  });
  const { end } = executing(`head -c ${BYTES} /dev/zero`, { stdout }, pinging);
  expect(await end).toEqual({ exitCode: 0 });
  expect(bytes).toBe(BYTES);
  expect(stops).toBe(3);
});
