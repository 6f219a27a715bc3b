// The library in a process of its own: a program of ten lines that consumes streams.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf, type Slice, writeAssigned } from '../../../src/api/assignment.ts';
import { Volume } from './volume.ts';
import { until, Worker } from './worker.ts';

const library = fileURLToPath(new URL('../../../src/worker/index.ts', import.meta.url));
let volume: Volume;
let worker: Worker | undefined;

beforeEach(() => {
  volume = new Volume();
});

afterEach(async () => {
  worker?.process.kill('SIGKILL');
  await worker?.ended();
  worker = undefined;
  volume.remove();
});

/**
 * A program with this body of a handler: `name`, `parameters`, `signal` and `aborted`, a promise,
 * are there.
 */
function program(body: string, options = ''): Worker {
  const file = volume.path('worker.ts');
  writeFileSync(
    file,
    `import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runWorker } from '${library}';
const say = (text) => process.stdout.write(text + '\\n');
await runWorker({ port: 0, configFile: '${volume.configFile}', ${options}
  stream: async ({ name, weight, parameters, signal }) => {
    const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
    ${body}
  },
});
say('over');
`,
  );
  worker = new Worker([], { SWARM_POLL_INTERVAL: '50ms', SWARM_BACKOFF_INITIAL: '20ms' }, file);
  return worker;
}

describe('a program that uses the library', () => {
  it('the library runs a handler for each stream with its parameters, and ends it by its signal', async () => {
    volume.publish(1, ['a', 'b'], { parameters: { b: { url: 'u' } }, weights: { b: 40 } });
    const it = program(
      "say(['on', name, weight, parameters.url].join(' ')); await aborted; say('off ' + name);",
    );
    const allRun = { version: 1, jobs: ['a', 'b'], podUid: 'uid-0', streams: {} };
    expect(await it.confirms(1)).toEqual(allRun);
    await it.prints(/on a 0 \n(?:.*\n)*on b 40 u/);
    volume.publish(2, ['b'], { parameters: { b: { url: 'u' } }, weights: { b: 40 } });
    expect(await it.confirms(2)).toMatchObject({ jobs: ['b'] });
    await it.prints(/off a\n/);
    expect(it.output).not.toMatch(/off b/);
    expect(await it.end()).toBe(0);
    expect(it.output).toMatch(/off b\n(?:.*\n)*over\n$/);
    expect(it.times(/^on b/gm)).toBe(1);
  });

  it('the library confirms nothing before a handler has returned', async () => {
    const file = volume.path('go');
    volume.publish(1, ['slow']);
    const it = program(
      `await aborted; say('asked ' + name); while (!existsSync('${file}')) await sleep(10);`,
    );
    await it.confirms(1);
    volume.publish(2, ['other']);
    await it.prints(/asked slow/);
    expect(await it.report()).toMatchObject({ version: 1, jobs: ['other', 'slow'] });
    writeFileSync(file, '');
    expect(await it.confirms(2)).toMatchObject({ jobs: ['other'] });
  });

  it('the library calls a handler that throws again, and does not confirm one that throws at once', async () => {
    volume.publish(1, ['later']);
    const it = program(
      `if (name === 'at-once') throw new Error('no such camera'); await sleep(20); throw new Error('lost it');`,
    );
    await it.confirms(1);
    await it.prints(
      /stream later ended by an error: lost it, restarting in 0\.0.*ended by an error/s,
    );
    volume.publish(2, ['later', 'at-once']);
    await it.prints(/stream at-once cannot be started: no such camera; retrying in/);
    expect(await it.report()).toMatchObject({
      version: 1,
      jobs: ['later'],
      streams: {
        'at-once': { state: 'Restarting', message: 'cannot be started: no such camera' },
      },
    });
    await until('it tells that the other fails, too', async () => {
      const { state, message } = (await it.report()).streams?.['later'] ?? {};
      return state === 'Restarting' && message === 'lost it' ? true : undefined;
    });
    expect((await it.get('/metrics')).text).toMatch(/stream_restarts_total\{stream="later"} [1-9]/);
  });

  it.each([
    ['complete', 1],
    ['restart', 3],
  ])(
    'the library completes a handler that returns, or calls it again: %s',
    async (onExit, calls) => {
      volume.publish(1, ['a']);
      const it = program('say("call"); await sleep(5);', `onExit: '${onExit}',`);
      await it.confirms(1);
      await until(`it was called ${calls} times`, () =>
        it.times(/^call$/gm) >= calls ? true : undefined,
      );
      const state = onExit === 'complete' ? '"a":"Completed"' : '"a":';
      await until(state, async () =>
        (await it.get('/internal/health')).text.includes(state) ? true : undefined,
      );
      expect(await it.report()).toMatchObject({ version: 1, jobs: ['a'] });
    },
  );

  it('the library with a fence starts nothing before the annotation of its own pod', async () => {
    const podInfo = new Volume();
    volume.publish(1, ['a']);
    const it = program('await aborted;', `assignedFile: '${podInfo.mount}/assigned',`);
    await it.prints(/not permitted by the annotation/);
    expect(await it.report()).toMatchObject({ version: 0, jobs: [] });
    const slice: Slice = { jobs: ['a'], version: 1 };
    podInfo.write({
      assigned: writeAssigned({ version: 1, uid: 'uid-0', digest: digestOf(slice), attempt: 1 }),
    });
    expect(await it.confirms(1)).toMatchObject({ jobs: ['a'] });
    podInfo.remove();
  });

  it('the library never confirms the end of a handler that ignores its signal, names it, and ends with 1', async () => {
    volume.publish(1, ['deaf', 'b']);
    const it = program(
      `if (name === 'deaf') await new Promise((r) => setInterval(r, 1e9)); await aborted;`,
      `stopGrace: '50ms', drainTimeout: '100ms',`,
    );
    await it.confirms(1);
    volume.publish(2, []);
    await it.prints(/stream deaf was told to stop, but its handler has not returned/);
    expect(await it.report()).toMatchObject({ version: 1, jobs: ['deaf'] });
    expect(await it.end()).toBe(1);
    expect(it.output).toContain('handlers have not returned: deaf');
    expect(it.output).not.toMatch(/^over$/m);
  });

  it('the library ends with a message when a setting is wrong', async () => {
    const wrong = program('', `stopGrace: 'soon',`);
    expect(await wrong.ended()).toBe(1);
    expect(wrong.output).toContain('stopGrace is "soon"; allowed is a time');
  });

  it('the library ends when its own signal is aborted', async () => {
    volume.publish(1, ['a']);
    const it = program('await aborted; say("off")', 'signal: AbortSignal.timeout(300),');
    expect(await it.ended()).toBe(0);
    expect(it.output).toMatch(/over\n$/);
  });
});
