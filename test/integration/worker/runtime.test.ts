import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeAssignment } from '../../../src/api/assignment.ts';
import { hostileNames } from '../../unit/worker/builders.ts';
import { Volume } from './volume.ts';
import { isAlive, until, Worker } from './worker.ts';

let volume: Volume;
let workers: Worker[];

beforeEach(() => {
  volume = new Volume();
  workers = [];
});

afterEach(async () => {
  for (const worker of workers) worker.process.kill('SIGTERM');
  for (const worker of workers) worker.process.kill('SIGINT');
  await Promise.all(workers.map((worker) => worker.ended()));
  volume.remove();
});

/** A worker whose streams run this shell script, with the stream as $1. */
function working(script: string, ...flags: readonly string[]): Worker {
  const worker = new Worker([
    '--config-file',
    volume.configFile,
    ...flags,
    '--',
    'sh',
    '-c',
    script,
    'sh',
    '{stream}',
  ]);
  workers.push(worker);
  return worker;
}

/** Prints its own pid and stays. */
const staying = 'echo "pid $$"; exec sleep 600';
/** Says that it was asked to stop, and ends only when a file is there. */
const lingering = (file: string): string =>
  `trap 'echo asked' TERM; echo ready; while [ ! -e ${file} ]; do sleep 0.02; done; echo done`;
const patient = ['--stop-grace', '60m', '--drain-timeout', '60m'];

describe('following the file', () => {
  it('a worker follows a file that appears, and every change, long before the next poll', async () => {
    const worker = working(staying, '--poll-interval', '60m');
    const nothing = { version: 0, jobs: [], podUid: 'uid-0', streams: {} };
    expect(await worker.report()).toEqual(nothing);
    await worker.prints(/no file exists yet/);
    for (const version of [1, 2, 3, 4, 5]) {
      const jobs = [`stream-${version}`, 'constant'];
      volume.publish(version, jobs);
      const allRun = { version, jobs, podUid: 'uid-0', streams: {} };
      expect(await worker.confirms(version)).toEqual(allRun);
    }
    expect(worker.times(/started stream=constant/g)).toBe(1);
  });

  it('a worker keeps the last good file while it is broken, older or gone, logs that once, and reads the next', async () => {
    volume.publish(5, ['a']);
    const worker = working(staying, '--poll-interval', '50ms');
    await worker.confirms(5);
    volume.write({ 'config.yml': 'workloads: [' });
    await worker.prints(/not YAML/);
    volume.publish(4, ['b']);
    await worker.prints(/version 4 is older than version 5/);
    renameSync(volume.mount, volume.path('elsewhere'));
    await worker.prints(/the file is missing/);
    expect(await worker.report()).toMatchObject({ version: 5, jobs: ['a'] });
    expect((await worker.get('/internal/health')).text).toContain('the file is missing');
    renameSync(volume.path('elsewhere'), volume.mount);
    volume.publish(6, ['a', 'b']);
    expect(await worker.confirms(6)).toMatchObject({ jobs: ['a', 'b'] });
    expect(worker.times(/not YAML/g)).toBe(1);
    expect(worker.times(/started stream=a/g)).toBe(1);
    expect((await worker.get('/internal/health')).text).toContain('"problems":[]');
  });

  it('a worker finds changes by polling where a watch was lost with its folder', async () => {
    volume.publish(1, ['a']);
    const worker = working(staying, '--poll-interval', '50ms');
    await worker.confirms(1);
    renameSync(volume.mount, volume.path('elsewhere'));
    const anew = new Volume();
    anew.publish(2, ['b']);
    renameSync(anew.mount, volume.mount);
    anew.remove();
    expect(await worker.confirms(2)).toMatchObject({ jobs: ['b'] });
  });

  it('a worker stops everything when a newer file has no entry for it', async () => {
    volume.publish(1, ['a']);
    const worker = working(staying);
    await worker.confirms(1);
    volume.write({
      'config.yml': writeAssignment({
        version: 2,
        workloads: new Map([['w-1', { jobs: ['a'], version: 2 }]]),
      }),
    });
    expect(await worker.confirms(2)).toMatchObject({ jobs: [] });
  });

  it('a worker takes its newest entry from a folder of shards', async () => {
    const shard = (version: number, worker: string): string =>
      writeAssignment({
        version,
        workloads: new Map([[worker, { jobs: [`${worker}-${version}`], version }]]),
      });
    volume.write({ 'config-0.yml': shard(1, 'w-0'), 'config-1.yml': shard(1, 'w-1') });
    const worker = new Worker(['--config-file', volume.mount, '--exec', 'sleep 600']);
    workers.push(worker);
    expect(await worker.confirms(1)).toMatchObject({ jobs: ['w-0-1'] });
    volume.write({ 'config-0.yml': shard(1, 'w-0'), 'config-1.yml': shard(2, 'w-0') });
    expect(await worker.confirms(2)).toMatchObject({ jobs: ['w-0-2'] });
  });
});

describe('streams', () => {
  it('a worker confirms nothing before a stream that is slow to stop has stopped', async () => {
    const file = volume.path('go');
    volume.publish(1, ['slow']);
    const worker = working(lingering(file), ...patient);
    await worker.prints(/ready/);
    await worker.confirms(1);
    volume.publish(2, ['other']);
    await worker.prints(/\[slow] asked/);
    await worker.prints(/\[other] ready/);
    expect(await worker.report()).toEqual({
      version: 1,
      read: 2,
      jobs: ['other', 'slow'],
      podUid: 'uid-0',
      states: { Running: 1, Stopping: 1 },
      streams: { slow: { state: 'Stopping', restarts: 0, since: expect.any(String) } },
    });
    writeFileSync(file, '');
    expect(await worker.confirms(2)).toMatchObject({ jobs: ['other'] });
  });

  it('a worker leaves no process that a stream has started', async () => {
    const tree = `sh -c "trap '' TERM; echo grandchild \\$\\$; while :; do sleep 0.1; done" & echo child $$; wait`;
    volume.publish(1, ['a']);
    const worker = working(tree, '--stop-grace', '200ms');
    const grandchild = Number((await worker.prints(/grandchild (\d+)/))[1]);
    await worker.confirms(1);
    volume.publish(2, []);
    await worker.confirms(2);
    await until('the grandchild is gone', () => (isAlive(grandchild) ? undefined : true));
  });

  it('a worker restarts only the stream whose parameters changed', async () => {
    const parameters = (url: string): object => ({ parameters: { b: { url } } });
    volume.publish(1, ['a', 'b'], parameters('one'));
    const worker = working(`echo "url \${SWARM_PARAM_URL-none}"; exec sleep 600`);
    await worker.prints(/\[a] url none/);
    await worker.prints(/\[b] url one/);
    volume.publish(2, ['a', 'b'], parameters('two'));
    await worker.confirms(2);
    await worker.prints(/\[b] url two/);
    expect(worker.times(/\[a] url none/g)).toBe(1);
  });

  it('a worker restarts a crashed stream, after longer and longer waits', async () => {
    volume.publish(1, ['a']);
    const worker = working(
      'echo run; exit 3',
      '--backoff-initial',
      '20ms',
      '--backoff-max',
      '80ms',
    );
    expect(await worker.confirms(1)).toMatchObject({ jobs: ['a'] });
    const wait = (...ms: readonly string[]): string =>
      `code 3, restarting in 0\\.0(?:${ms.join('|')}) s`;
    const [first, second, last] = [wait('1[5-9]', '2'), wait('3\\d?', '4'), wait('[67]\\d?', '8')];
    await worker.prints(new RegExp([first, second, last, last].join('.*'), 's'));
    expect((await worker.get('/metrics')).text).toMatch(
      /restarts_total\{stream="a"} ([3-9]|\d{2,})$/m,
    );
    expect(await worker.report()).toMatchObject({ version: 1, jobs: ['a'] });
  });

  it('a worker does not restart a finite job', async () => {
    volume.publish(1, ['a']);
    const worker = working('echo done', '--on-exit', 'complete', '--backoff-initial', '10ms');
    await until('it is completed', async () =>
      (await worker.get('/internal/health')).text.includes('"a":"Completed"') ? true : undefined,
    );
    volume.publish(2, ['a', 'b']);
    expect(await worker.confirms(2)).toMatchObject({ jobs: ['a', 'b'] });
    await worker.prints(/\[b] done/);
    expect(worker.times(/\[a] done/g)).toBe(1);
  });

  it('a worker does not confirm a stream that cannot be started, and says why', async () => {
    volume.publish(1, ['a']);
    const worker = new Worker([
      '--config-file',
      volume.configFile,
      '--literal-arguments',
      'program',
      '--',
      '/no/such/program',
      '{stream}',
    ]);
    workers.push(worker);
    await worker.prints(/stream a cannot be started: .*ENOENT/);
    expect(await worker.report()).toMatchObject({
      version: 0,
      jobs: [],
      states: { Restarting: 1 },
      streams: {
        a: { state: 'Restarting', message: 'cannot be started: spawn /no/such/program ENOENT' },
      },
    });
  });

  it('a worker reports a stream that crashes over and over, without the values of its parameters', async () => {
    const url = 'rtsp://user:secret@cam-1/main';
    volume.publish(1, ['a', 'b'], { parameters: { a: { url } } });
    const worker = working(
      `[ "$1" = b ] && exec sleep 600; echo "open $SWARM_PARAM_URL: refused" >&2; exit 3`,
      '--backoff-max',
      '50ms',
      '--backoff-initial',
      '50ms',
    );
    const message = 'exit code 3: open …: refused';
    const { states, streams } = await until('it fails, and was started again', async () => {
      const report = await worker.report();
      const { restarts = 0, message: told } = report.streams?.['a'] ?? {};
      return restarts > 2 && told === message ? report : undefined;
    });
    expect(states).toEqual({ Running: 1, Restarting: 1 });
    const failing = { state: 'Restarting', restarts: expect.any(Number), message };
    expect(streams).toEqual({ a: { ...failing, since: expect.any(String) } });
  });

  it('a worker gives a stream the file of its secret, and reports no part of the content', async () => {
    const folder = volume.path('secrets');
    mkdirSync(folder);
    writeFileSync(`${folder}/cam-1`, 'viewer:hunter2-of-the-yard\n');
    volume.publish(1, ['a', 'b'], {
      parameters: { a: { secretKey: 'cam-1' }, b: { secretKey: 'cam-2' } },
    });
    const worker = working(
      'echo "401 for $(cat "$SWARM_SECRET_FILE")" >&2; exit 3',
      ...['--secrets-folder', folder, '--backoff-max', '50ms', '--backoff-initial', '50ms'],
    );
    await until('both fail, with a reason', async () => {
      const { streams } = await worker.report();
      const [read, missing] = [streams?.['a']?.message, streams?.['b']?.message];
      // The name of the key is a parameter, which no report shows.
      return (
        read === 'exit code 3: 401 for …' &&
        missing?.includes(`no file of that name that the worker can read in ${folder}`)
      );
    });
    await worker.prints(/names the key cam-2/);
  });

  it('a worker treats every name of a stream as data', async () => {
    const trace = '/tmp/swarm-worker-was-here';
    volume.publish(1, hostileNames);
    const file = volume.path('names');
    // One write a line: small appends of several processes do not mix.
    const program = `const { appendFileSync } = require('fs'); appendFileSync('${file}', JSON.stringify([process.argv.slice(1), process.env.SWARM_STREAM]) + '\\n')`;
    const worker = new Worker([
      '--config-file',
      volume.configFile,
      '--on-exit',
      'complete',
      '--',
      process.execPath,
      '--eval',
      program,
      '--',
      '{stream}',
    ]);
    workers.push(worker);
    expect(await worker.confirms(1)).toMatchObject({ jobs: [...hostileNames] });
    const lines = await until('all have run', () => {
      const written = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
      return written.length === hostileNames.length ? written : undefined;
    });
    expect(lines.map((line): unknown => JSON.parse(line)).sort()).toEqual(
      hostileNames.map((name) => [[name], name]).sort(),
    );
    expect(existsSync(trace)).toBe(false);
    expect(worker.output).not.toMatch(/^lines/m);
  });

  it('a worker starts all streams with a possible name, and says what is wrong with the others', async () => {
    const endless = 'x'.repeat(200_000);
    volume.publish(1, ['a', 'nul\0nul', endless]);
    const worker = working(staying);
    await worker.prints(/\[a] pid/);
    await worker.prints(/stream "nul\\u0000nul" cannot be started: .*null bytes/);
    await worker.prints(/stream x+ cannot be started: .*E2BIG/);
    expect(await worker.report()).toMatchObject({ version: 0, jobs: ['a'] });
  });

  it('a worker leaves no process of a stream that has its own session', async () => {
    const script = `setsid sh -c 'echo daemon $$; exec sleep 600' & wait`;
    volume.publish(1, ['a']);
    const worker = working(script, '--stop-grace', '5s');
    const daemon = Number((await worker.prints(/daemon (\d+)/))[1]);
    await worker.confirms(1);
    volume.publish(2, []);
    await worker.confirms(2);
    expect(isAlive(daemon)).toBe(false);
  });

  it('a worker runs a demonstration when no command was given', async () => {
    volume.publish(1, ['cars:new']);
    const worker = new Worker(['--config-file', volume.configFile]);
    workers.push(worker);
    await worker.prints(/^\[cars:new] consuming "cars:new"$/m);
    expect(await worker.end()).toBe(0);
    expect(worker.output).toContain('[cars:new] stopped consuming');
  });
});

describe('the end of the worker', () => {
  it('SIGTERM stops all streams at the same time, and the worker answers meanwhile and ends with 0', async () => {
    const file = volume.path('go');
    volume.publish(1, ['a', 'b', 'c']);
    const worker = working(lingering(file), ...patient);
    await worker.prints(/ready.*ready.*ready/s);
    await worker.confirms(1);
    worker.process.kill('SIGTERM');
    await worker.prints(/asked.*asked.*asked/s);
    expect(await worker.get('/internal/health')).toMatchObject({ status: 503 });
    expect(await worker.report()).toMatchObject({ version: 1, jobs: ['a', 'b', 'c'] });
    writeFileSync(file, '');
    expect(await worker.ended()).toBe(0);
    expect(worker.times(/] done/g)).toBe(3);
  });

  it('a worker kills a stream that ignores SIGTERM at the deadline', async () => {
    volume.publish(1, ['a']);
    const worker = working(lingering('/no/such/file'), '--drain-timeout', '100ms');
    await worker.prints(/ready/);
    expect(await worker.end()).toBe(0);
  });

  it('a second signal kills the streams that still run', async () => {
    volume.publish(1, ['a']);
    const worker = working(lingering('/no/such/file'), ...patient);
    await worker.prints(/ready/);
    worker.process.kill('SIGTERM');
    await worker.prints(/asked\n/);
    worker.process.kill('SIGINT');
    expect(await worker.ended()).toBe(0);
  });

  it('a worker ends with 1 when its address is taken, and with 2 when settings are wrong', async () => {
    const first = working(staying);
    const [, port = ''] = await first.prints(/port=(\d+)/);
    const second = new Worker(['--port', port]);
    const third = new Worker(['--port', 'x']);
    workers.push(second, third);
    expect(await second.ended()).toBe(1);
    expect(second.output).toContain(`cannot serve on 127.0.0.1:${port}`);
    expect(await third.ended()).toBe(2);
    expect(third.output).toContain('--port is "x"; allowed is a whole number from 0 to 65535');
  });
});
