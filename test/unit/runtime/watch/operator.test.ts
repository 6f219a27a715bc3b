// Is it the framework's operator, without its unsafe parts?
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResourceEvent } from '@dot-i/k8s-operator';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { KubeClient } from '../../../../src/runtime/client/client.ts';
import { systemClock } from '../../../../src/runtime/clock.ts';
import { MisbehavingServer, refuse } from '../../../support/misbehaving-server.ts';
import { eventually } from '../../../support/processes.ts';
import { dotI, endAll, Opened, quiet, running, setUp } from './operator-under-test.ts';

afterEach(endAll);

const at = (namespace: string, name: string) => ({ namespace, name });

describe('the operator', () => {
  it('the operator is a subclass of that of the framework', async () => {
    const { operator } = await setUp();
    expect(operator).toBeInstanceOf(dotI.default);
  });

  it('the operator is started when every kind has been listed, and not before', async () => {
    const { server, operator, told } = await setUp();
    server.store.put(kinds.Node, { name: 'n1' });
    server.store.put(kinds.ConfigMap, at('a', 'c1'));
    const hold: (() => void)[] = [];
    server.next('list', (_response, _asked, well) => hold.push(well));
    let isStarted = false;
    const started = operator.start().then(() => {
      isStarted = true;
    });
    await eventually(
      'all kinds are listed, two watched',
      () => server.countOf('list') === 3 && server.watches === 2 && hold.length === 1,
    );
    expect(isStarted).toBe(false);
    hold[0]?.();
    await started;
    expect([...told].sort()).toEqual(['ADDED ConfigMap a/c1', 'ADDED Node n1']);
  });

  it('the operator reports every change, in order, when all namespaces are watched', async () => {
    const { server, operator, told } = await setUp();
    await operator.start();
    server.store.put(kinds.SwarmPool, at('a', 'p'));
    server.store.put(kinds.SwarmPool, at('a', 'p'), { spec: {} });
    server.store.remove(kinds.SwarmPool, at('a', 'p'));
    await eventually('all three changes are reported', () => told.length === 3);
    expect(told).toEqual([
      'ADDED SwarmPool a/p',
      'MODIFIED SwarmPool a/p',
      'DELETED SwarmPool a/p',
    ]);
  });

  it('the operator tells a listener when a list has been reported as a whole', async () => {
    const { server, operator, told } = await setUp({
      watched: [kinds.ConfigMap],
      tellsLists: true,
    });
    for (const name of ['x', 'y']) server.store.put(kinds.ConfigMap, at('a', name));
    await operator.start();
    expect(told).toEqual(['ADDED ConfigMap a/x', 'ADDED ConfigMap a/y', 'listed ConfigMap']);
    await operator.watches.refreshed([{ kind: kinds.ConfigMap }]);
    expect(told.slice(3)).toEqual(['listed ConfigMap']);
  });

  it('the operator watches only the given namespaces, and cluster-wide kinds once', async () => {
    const { server, operator, told } = await setUp({ namespaces: ['a', 'b'] });
    for (const namespace of ['a', 'b', 'c']) server.store.put(kinds.ConfigMap, at(namespace, 'x'));
    server.store.put(kinds.Node, { name: 'n1' });
    await operator.start();
    expect([...told].sort()).toEqual([
      'ADDED ConfigMap a/x',
      'ADDED ConfigMap b/x',
      'ADDED Node n1',
    ]);
    expect(
      server.asked.filter(({ verb, path }) => verb === 'list' && path.includes('/nodes')),
    ).toHaveLength(1);
    const made = server.store.put(kinds.ConfigMap, at('b', 'y'));
    operator.watches.observe(kinds.ConfigMap, made);
    expect(told.at(-1)).toBe('ADDED ConfigMap b/y');
  });

  it('the operator raises no warning with many namespaces', async () => {
    const warned: Error[] = [];
    const warn = (warning: Error): unknown => warned.push(warning);
    process.on('warning', warn);
    const { server, operator } = await setUp({
      namespaces: Array.from({ length: 12 }, (_, index) => `n${index}`),
      watched: [kinds.ConfigMap],
    });
    await operator.start();
    await server.untilWatched(12);
    process.off('warning', warn);
    expect(warned.map(String)).toEqual([]);
  });

  it('the operator ends everything when it is stopped, also while it starts', async () => {
    const { server, operator, config } = await setUp();
    server.next('list', () => undefined);
    const started = operator.start();
    await eventually('all kinds are listed', () => server.countOf('list') === 3);
    operator.stop();
    await started;
    await operator.stopped();
    await config.closeConnections();
    await eventually('no socket is left', () => server.openSockets === 0);
  });
});

describe('two controllers that watch one kind', () => {
  type Told = readonly [string, string];

  async function withTwo(onChange: (name: string) => void = () => undefined) {
    const server = await MisbehavingServer.start([kinds.Deployment, kinds.ConfigMap]);
    const config = server.config();
    const told: Told[] = [];
    const errors: string[] = [];
    const listener = (name: string, kind: Kind) => ({
      kind,
      onChange: ({ object }: { readonly object: KubeObject }) => {
        onChange(name);
        told.push([name, object.metadata.name]);
      },
    });
    const operator = new Opened({
      kubeConfig: config,
      api: new KubeClient(config),
      clock: systemClock,
      logger: { ...quiet, error: (message) => errors.push(message) },
      namespaces: [],
      crdFiles: [],
      subscriptions: [
        listener('pools', kinds.Deployment),
        listener('pools', kinds.ConfigMap),
        listener('groups', kinds.Deployment),
        listener('groups', kinds.ConfigMap),
      ],
    });
    running.push({ server, operator, config, told: [], errors });
    return { server, operator, told, errors };
  }

  it('two controllers cost one list and one watch of each kind', async () => {
    const { server, operator } = await withTwo();
    await operator.start();
    await server.untilWatched(2);
    expect([server.countOf('list'), server.watches]).toEqual([2, 2]);
  });

  it('two controllers both see the response to a write of either before the next decision', async () => {
    const { server, operator, told } = await withTwo();
    await operator.start();
    operator.watches.observe(kinds.Deployment, server.store.put(kinds.Deployment, at('a', 'd')));
    expect(told).toEqual([
      ['pools', 'd'],
      ['groups', 'd'],
    ]);
  });

  it('a controller loses nothing when another one throws, and gets a change again that it failed to take', async () => {
    let isFailing = true;
    const { server, operator, told, errors } = await withTwo((name) => {
      if (isFailing && name === 'pools') throw new Error('a mistake');
    });
    await operator.start();
    operator.watches.observe(kinds.Deployment, server.store.put(kinds.Deployment, at('a', 'd')));
    isFailing = false;
    operator.watches.observe(kinds.Deployment, server.store.put(kinds.Deployment, at('a', 'e')));
    expect(told).toEqual([
      ['groups', 'd'],
      ['pools', 'e'],
      ['groups', 'e'],
    ]);
    expect(errors).toEqual(['Deployment a/d: cannot process the change: Error: a mistake']);
    await eventually('it is told again', () => told.length === 4);
    expect(told.at(-1)).toEqual(['pools', 'd']);
    expect(operator.undelivered).toEqual([]);
  });
});

describe('the process under faults', () => {
  it('no fault ends the process or goes unhandled, and no exception of a listener does', async () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('exit');
    });
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { server, operator, told, errors } = await setUp({
      watched: [kinds.ConfigMap],
      onChange: () => {
        throw new Error('a mistake');
      },
    });
    server.next('list', refuse(500), (response) => response.destroy(), refuse(401));
    server.next(
      'watch',
      refuse(403),
      refuse(410),
      (response) => response.end('nonsense'),
      (response) => response.destroy(),
    );
    await operator.start();
    server.store.put(kinds.ConfigMap, at('a', 'x'));
    await eventually('the change of x is reported', () => told.length > 0);
    await server.untilWatched();
    server.reset();
    server.store.put(kinds.ConfigMap, at('a', 'y'));
    await eventually('the change of y is reported', () => told.some((it) => it.endsWith('a/y')));
    expect(errors).toEqual([
      'ConfigMap a/x: cannot process the change: Error: a mistake',
      'ConfigMap a/y: cannot process the change: Error: a mistake',
    ]);
    expect([exit.mock.calls, unhandled]).toEqual([[], []]);
    process.off('unhandledRejection', note);
    exit.mockRestore();
  });
});

describe('an operator written with the framework', () => {
  it('a handler gets the events of the framework, of an object that exists and of every change', async () => {
    const { server, operator } = await setUp({ watched: [kinds.ConfigMap] });
    server.store.put(kinds.ConfigMap, at('a', 'x'), { data: { n: '1' } });
    const events: ResourceEvent[] = [];
    await operator.watched('configmaps', async (event) => void events.push(event));
    server.store.put(kinds.ConfigMap, at('a', 'x'), { data: { n: '2' } });
    server.store.remove(kinds.ConfigMap, at('a', 'x'));
    await eventually('all are reported', () => events.length === 3);
    const { ResourceEventType } = dotI;
    expect(events.map(({ type }) => type)).toEqual([
      ResourceEventType.Added,
      ResourceEventType.Modified,
      ResourceEventType.Deleted,
    ]);
    expect(events[0]?.meta).toEqual({
      ...{ id: 'configmaps.v1', apiVersion: 'v1', kind: 'ConfigMap' },
      ...{ namespace: 'a', name: 'x', resourceVersion: '11' },
    });
    expect(events[1]?.object).toMatchObject({
      kind: 'ConfigMap',
      metadata: at('a', 'x'),
      data: { n: '2' },
    });
  });

  it('times of an object are dates, as in the types of the client', async () => {
    const { server, operator } = await setUp({ watched: [kinds.ConfigMap] });
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    const finalizers = ['k8slab.info/x'];
    const times = { creationTimestamp: '2026-01-02T03:04:05Z', deletionTimestamp: '2026-02-01' };
    const metadata = { ...at('a', 'x'), ...times, finalizers, ownerReferences: [owner] };
    const events: ResourceEvent[] = [];
    await operator.watched('configmaps', async (event) => void events.push(event));
    await server.untilWatched();
    server.say(
      `${JSON.stringify({ type: 'ADDED', object: { metadata: { ...metadata, resourceVersion: '99' } } })}\n`,
    );
    await eventually('it is reported', () => events.length === 1);
    expect(events[0]?.object.metadata).toMatchObject({
      creationTimestamp: new Date('2026-01-02T03:04:05Z'),
      deletionTimestamp: new Date('2026-02-01'),
      ...{ finalizers, ownerReferences: [owner] },
    });
  });

  it('a handler that fails is reported, and gets every later event', async () => {
    const { server, operator, errors } = await setUp({ watched: [kinds.ConfigMap] });
    const names: unknown[] = [];
    await operator.watched('configmaps', ({ object }) => {
      names.push(object.metadata?.name);
      if (names.length === 1) throw new Error('a mistake');
      return Promise.reject(new Error('another one'));
    });
    for (const name of ['x', 'y']) server.store.put(kinds.ConfigMap, at('a', name));
    await eventually('both failures are reported', () => errors.length === 2);
    expect(names).toEqual(['x', 'y']);
    expect(errors).toEqual([
      'a handler of configmaps.v1 failed: a mistake',
      'a handler of configmaps.v1 failed: another one',
    ]);
  });

  it('a resource of an unknown kind is not watched', async () => {
    const { operator } = await setUp();
    const watched = operator.watched('secrets2', () => Promise.resolve());
    await expect(watched).rejects.toThrow(/no secrets2 .* in src\/api\/kinds.ts/);
  });

  it('the client of the framework has the configured cluster, whatever the environment says', async () => {
    const { server, operator } = await setUp({ watched: [kinds.Namespace] });
    await operator.namespaces();
    expect(server.asked.map(({ path }) => path)).toEqual(['/api/v1/namespaces']);
  });
});

describe('a CRD', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crd-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'crd.yaml');
  const spec =
    'spec: {group: g, names: {plural: xs}, versions: [{name: v1, served: true, storage: true}]}';
  writeFileSync(
    file,
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.g}\n${spec}\n`,
  );
  const applied =
    'PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/xs.g?fieldManager=swarm-operator&force=true';
  const askedOf = (server: MisbehavingServer): readonly string[] =>
    server.asked.map(({ method, path, query }) => `${method} ${path}?${query}`);

  it('a CRD is registered by applying it, and a file with anything else is refused', async () => {
    const { server, operator } = await setUp({ watched: [] });
    expect(await operator.registered(file)).toEqual({
      group: 'g',
      plural: 'xs',
      versions: [{ name: 'v1', served: true, storage: true }],
    });
    expect(askedOf(server)).toEqual([applied]);
    const other = join(folder, 'pod.yaml');
    writeFileSync(other, 'kind: Pod\nmetadata: {name: x}\n');
    await expect(operator.registered(other)).rejects.toThrow(/is not a CustomResourceDefinition/);
  });

  it('an operator registers its CRDs before it watches anything', async () => {
    const crdFiles = [file, file];
    const { server, operator } = await setUp({ watched: [kinds.ConfigMap], crdFiles });
    await operator.start();
    const asked = askedOf(server);
    expect(asked.slice(0, 2)).toEqual([applied, applied]);
    expect(asked[2]).toContain('GET /api/v1/configmaps');
  });
});
