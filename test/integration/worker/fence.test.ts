// A worker that starts only streams that its own pod's annotation permits.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { digestOf, type Slice, writeAssigned } from '../../../src/api/assignment.ts';
import { Volume } from './volume.ts';
import { until, Worker } from './worker.ts';

let volume: Volume;
let podInfo: Volume;
let worker: Worker;

beforeEach(() => {
  volume = new Volume();
  podInfo = new Volume();
  const files = [
    '--config-file',
    volume.configFile,
    '--assigned-file',
    `${podInfo.mount}/assigned`,
  ];
  worker = new Worker([...files, '--exec', 'sleep 600']);
});

afterEach(async () => {
  await worker.end();
  volume.remove();
  podInfo.remove();
});

const permit = (slice: Slice, uid = 'uid-0'): void =>
  podInfo.write({
    assigned: writeAssigned({ version: slice.version, uid, digest: digestOf(slice), attempt: 1 }),
  });

const runs = (...jobs: readonly string[]): Promise<true> =>
  until(`it runs ${jobs.join()}`, async () =>
    (await worker.report()).jobs?.join() === jobs.join() ? true : undefined,
  );

describe('a worker with a fence', () => {
  it('a worker with a fence starts nothing by the file alone, nor by an annotation of an earlier pod', async () => {
    volume.publish(1, ['a', 'b']);
    await worker.prints(/not permitted by the annotation/);
    permit({ jobs: ['a', 'b'], version: 1 }, 'the pod before');
    await until('it has looked again', () =>
      worker.times(/not permitted by the annotation/g) >= 2 ? true : undefined,
    );
    expect(await worker.report()).toMatchObject({ version: 0, jobs: [] });
    permit({ jobs: ['a', 'b'], version: 1 });
    await runs('a', 'b');
    expect((await worker.confirms(1)).jobs).toEqual(['a', 'b']);
  });

  it('a worker with a fence stops removed streams at once, and starts new ones after the annotation', async () => {
    volume.publish(1, ['a', 'b']);
    permit({ jobs: ['a', 'b'], version: 1 });
    await runs('a', 'b');
    volume.publish(2, ['b', 'c'], { releasing: ['a'] });
    await runs('b');
    expect((await worker.report()).version).toBe(1);
    permit({ jobs: ['b', 'c'], version: 2, releasing: ['a'] });
    await runs('b', 'c');
    await worker.confirms(2);
  });

  it('a worker with a fence confirms a file that only removes streams before the annotation', async () => {
    volume.publish(1, ['a', 'b']);
    permit({ jobs: ['a', 'b'], version: 1 });
    await runs('a', 'b');
    volume.publish(2, ['b'], { releasing: ['a'] });
    expect(await worker.confirms(2)).toMatchObject({ jobs: ['b'] });
  });

  it('a worker with a fence refuses to start without the UID of its pod', async () => {
    const nobody = new Worker(['--assigned-file', '/x'], { POD_UID: '' });
    expect(await nobody.ended()).toBe(2);
    expect(nobody.output).toContain('set POD_UID from the field metadata.uid');
  });
});
