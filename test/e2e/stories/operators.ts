// Do workers and users notice restarts of the operator or the API server?

import { afterAll, expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { asString, dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { falls, Load } from '../load.ts';
import { ask, isReady, operatorNamespace, type World } from '../world.ts';

const WORKERS = 4;
const ROUNDS = 3;

export function operators(world: () => World): void {
  let load: Load | undefined;
  const loaded = async (): Promise<Load> => {
    load ??= await Load.on(world(), 'load', WORKERS);
    return load;
  };

  afterAll(() => world().kubectl('delete', 'namespace', 'load', '--wait=false'));

  it('a leader that ends hands over, one that is killed is replaced, and no worker notices', async () => {
    const { stayed, ...rest } = await quiet(loaded);
    const term: number[] = [];
    const kill: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      term.push(
        await succession((name) =>
          world().kubectl('-n', operatorNamespace, 'delete', 'pod', name, '--wait=false'),
        ),
      );
      kill.push(
        await succession(async () => world().signal(await world().leadingPod(), 'SIGKILL')),
      );
    }
    for (const [how, times, most] of [
      ['pod deleted (SIGTERM): handed over', term, 3],
      ['process killed (SIGKILL): taken over', kill, 10],
    ] as const)
      note({
        name: `P8 leader's ${how}`,
        value: seconds(Math.max(...times)),
        target: `<= ${most} s`,
        isReached: Math.max(...times) <= most,
        note: `the longest of ${times.map(seconds).join(', ')}`,
      });
    expect(rest.load.stayed()).toEqual(stayed);
    await rest.load.edit();
    await rest.load.pool.converged(rest.load.streams, WORKERS, 180);
  });

  async function succession(strike: (leader: string) => Promise<unknown>): Promise<number> {
    await eventually(
      'two replicas are Ready',
      async () => (await world().operators()).filter(isReady).length === 2,
      180,
    );
    const before = await world().leader();
    const leading = await world().leadingPod();
    const start = performance.now();
    await strike(leading.metadata.name);
    return world().untilLedByOther(before, start);
  }

  it('no stream is lost or doubled in an upgrade while streams are edited, and no version falls', async () => {
    const { load: busy, stayed } = await quiet(loaded);
    busy.begin();
    const start = performance.now();
    await world().kubectl(
      '-n',
      operatorNamespace,
      'set',
      'image',
      'deployment/swarm-operator',
      'operator=swarm-operator:next',
    );
    await world().rolledOut();
    await eventually(
      'only the new replicas exist',
      async () => (await world().operators()).length === 2,
      180,
    );
    const took = secondsSince(start);
    const edits = busy.edits;
    await busy.end();
    await busy.pool.converged(busy.streams, WORKERS, 180);
    for (const pod of await world().operators())
      expect(asString(dig(await ask(pod, 8081, '/internal/health'), 'build', 'commit'))).toBe(
        'next',
      );
    expect(falls(busy.versions)).toEqual([]);
    expect(busy.recorder.overlaps()).toEqual([]);
    expect(busy.stayed()).toEqual(stayed);
    note({
      name: 'operator upgraded under load',
      value: seconds(took),
      note: `${edits} edits meanwhile, versions to ${busy.versions.at(-1)}`,
    });
  });

  it('workers go on while the API server is killed, and changes follow when it is back', async () => {
    const { load: busy, stayed } = await quiet(loaded);
    busy.begin();
    await world().cluster.plane.restart(['apiServer'], {
      signal: 'SIGKILL',
      whileDown: () => eventually('10 s have passed', passed(10_000), 12),
    });
    const start = performance.now();
    await busy.end();
    const { version } = await busy.pool.published();
    await busy.edit();
    await eventually(
      'the operator publishes',
      async () => (await busy.pool.published()).version > version,
      180,
    );
    const published = secondsSince(start);
    await busy.pool.converged(busy.streams, WORKERS, 300);
    note({
      name: 'API server away for 10 s: back until the operator publishes; until all have confirmed',
      value: `${seconds(published)}; ${seconds(secondsSince(start))}`,
      note: 'kubelets wait up to a minute before they ask such a server again',
    });
    expect(falls(busy.versions)).toEqual([]);
    expect(busy.stayed()).toEqual(stayed);
    await eventually(
      'two replicas are Ready',
      async () => (await world().operators()).filter(isReady).length === 2,
      180,
    );
  });
}

async function quiet(
  loaded: () => Promise<Load>,
): Promise<{ load: Load; stayed: readonly string[] }> {
  const load = await loaded();
  return { load, stayed: load.stayed() };
}

function passed(milliseconds: number): () => boolean {
  const start = performance.now();
  return () => performance.now() - start > milliseconds;
}
