// Does each call become the request that the API expects?
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { KubeClient } from '../../../../src/runtime/client/client.ts';
import type { RequestReport } from '../../../../src/runtime/client/requests.ts';
import { json, MisbehavingServer, refuse, stream } from '../../../support/misbehaving-server.ts';

const ref = { namespace: 'n', name: 'a' };
const exact = { ...ref, uid: 'u' };
const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...ref, uid: 'u', resourceVersion: '7' },
};
const status: KubeObject = {
  ...object,
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmPool',
  status: { version: 1 },
};
const patch = {
  type: 'merge',
  body: { metadata: { uid: 'u', resourceVersion: '7' }, data: { x: null } },
} as const;
const apply = {
  type: 'apply',
  body: { metadata: { name: 'a' } },
  fieldManager: 'm',
  force: true,
} as const;

let server: MisbehavingServer;
let client: KubeClient;
const observed: RequestReport[] = [];

beforeAll(async () => {
  server = await MisbehavingServer.start([kinds.ConfigMap]);
  const answer = { metadata: { name: 'a', resourceVersion: '8' }, items: [] };
  server.always('other', (response) => json(response, 200, answer));
  server.always('list', (response) => json(response, 200, answer));
  client = new KubeClient(server.config(), {
    userAgent: 'tester',
    observe: (asked) => observed.push(asked),
  });
});
beforeEach(() => {
  server.asked.length = 0;
  observed.length = 0;
});
afterAll(() => server.close());

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

type Row = [
  what: string,
  call: () => Promise<unknown>,
  request: string,
  contentType: string | undefined,
  body: unknown,
];

describe('a call', () => {
  const rows: Row[] = [
    [
      'get',
      () => client.get(kinds.ConfigMap, ref),
      'GET /api/v1/namespaces/n/configmaps/a',
      undefined,
      '',
    ],
    [
      'get of a scale',
      () => client.getScale(kinds.Deployment, ref),
      'GET /apis/apps/v1/namespaces/n/deployments/a/scale',
      undefined,
      '',
    ],
    [
      'discovery of a group',
      () => client.resources(kinds.Deployment),
      'GET /apis/apps/v1',
      undefined,
      '',
    ],
    [
      'discovery of the kinds without a group',
      () => client.resources(kinds.Pod),
      'GET /api/v1',
      undefined,
      '',
    ],
    [
      'get of a cluster-wide kind',
      () => client.get(kinds.Node, ref),
      'GET /api/v1/nodes/a',
      undefined,
      '',
    ],
    [
      'a name with path characters',
      () => client.get(kinds.Node, { name: '../x?y' }),
      'GET /api/v1/nodes/..%2Fx%3Fy',
      undefined,
      '',
    ],
    [
      'list',
      () => client.list(kinds.StatefulSet, 'n', { labelSelector: 'a=b,c' }),
      'GET /apis/apps/v1/namespaces/n/statefulsets?labelSelector=a%3Db%2Cc&limit=500',
      undefined,
      '',
    ],
    [
      'list everywhere',
      () => client.list(kinds.Pod, undefined),
      'GET /api/v1/pods?limit=500',
      undefined,
      '',
    ],
    [
      'create',
      () => client.create(kinds.ConfigMap, object),
      'POST /api/v1/namespaces/n/configmaps',
      'application/json',
      object,
    ],
    [
      'create, with unknown fields refused',
      () => client.create(kinds.ConfigMap, object, { isStrict: true }),
      'POST /api/v1/namespaces/n/configmaps?fieldValidation=Strict',
      'application/json',
      object,
    ],
    [
      'replace',
      () => client.replace(kinds.ConfigMap, object),
      'PUT /api/v1/namespaces/n/configmaps/a',
      'application/json',
      object,
    ],
    [
      'replace of a status',
      () => client.replace(kinds.SwarmPool, status, 'status'),
      'PUT /apis/k8slab.info/v1alpha1/namespaces/n/swarmpools/a/status',
      'application/json',
      status,
    ],
    [
      'a merge patch',
      () => client.patch(kinds.ConfigMap, ref, patch),
      'PATCH /api/v1/namespaces/n/configmaps/a',
      MERGE,
      patch.body,
    ],
    [
      'a merge patch of a status',
      () => client.patch(kinds.Pod, ref, patch, 'status'),
      'PATCH /api/v1/namespaces/n/pods/a/status',
      MERGE,
      patch.body,
    ],
    [
      'a JSON patch',
      () => client.patch(kinds.ConfigMap, ref, { type: 'json', body: [{ op: 'test' }] }),
      'PATCH /api/v1/namespaces/n/configmaps/a',
      'application/json-patch+json',
      [{ op: 'test' }],
    ],
    [
      'an apply',
      () => client.patch(kinds.ConfigMap, ref, apply),
      'PATCH /api/v1/namespaces/n/configmaps/a?fieldManager=m&force=true',
      APPLY,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
    ],
    [
      'delete',
      () =>
        client.delete(
          kinds.ConfigMap,
          ref,
          { uid: 'u', resourceVersion: '7' },
          { gracePeriodSeconds: 0 },
        ),
      'DELETE /api/v1/namespaces/n/configmaps/a',
      'application/json',
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: { uid: 'u', resourceVersion: '7' },
        gracePeriodSeconds: 0,
      },
    ],
    [
      'evict',
      () => client.evict(exact),
      'POST /api/v1/namespaces/n/pods/a/eviction',
      'application/json',
      {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: ref,
        deleteOptions: { preconditions: { uid: 'u' } },
      },
    ],
  ];
  it.each(rows)(
    'a call becomes the right request: %s',
    async (_, call, request, contentType, body) => {
      await call();
      const [asked] = server.asked;
      const query = asked?.query.toString() ?? '';
      expect(`${asked?.method} ${asked?.path}${query === '' ? '' : `?${query}`}`).toBe(request);
      expect(asked?.headers['content-type']).toBe(contentType);
      expect(asked?.body === '' ? '' : JSON.parse(asked?.body ?? '')).toEqual(body);
      expect(asked?.headers).toMatchObject({
        accept: 'application/json',
        authorization: 'Bearer secret-token',
        'user-agent': 'tester',
      });
    },
  );

  it('a watch becomes a request with its version, time and selector', async () => {
    server.next('watch', stream());
    const watch = client.watch(kinds.ConfigMap, 'n', {
      resourceVersion: '10',
      timeoutSeconds: 600,
      fieldSelector: 'metadata.name=a',
    });
    for await (const event of watch) throw new Error(`unexpected event: ${event.type}`);
    expect(server.asked[0]?.path).toBe('/api/v1/namespaces/n/configmaps');
    expect(Object.fromEntries(server.asked[0]?.query ?? [])).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '10',
      timeoutSeconds: '600',
      fieldSelector: 'metadata.name=a',
    });
  });
});

describe('the observer of requests', () => {
  it('every request is reported to its observer with its verb and code', async () => {
    await client.get(kinds.ConfigMap, ref);
    server.next('other', refuse(503));
    await client.get(kinds.ConfigMap, ref).catch(() => undefined);
    const silent = await MisbehavingServer.silent();
    await new KubeClient(silent.config(), {
      requestTimeoutMs: 50,
      observe: (asked) => observed.push(asked),
    })
      .get(kinds.ConfigMap, ref)
      .catch(() => undefined);
    await silent.close();
    expect(observed.map(({ verb, code }) => [verb, code])).toEqual([
      ['get', 200],
      ['get', 503],
      ['get', 'Timeout'],
    ]);
  });
});

describe('a kubeconfig', () => {
  it('a kubeconfig without a current context is refused at once', () => {
    const config = server.config();
    config.setCurrentContext('nowhere');
    expect(() => new KubeClient(config)).toThrow(/names no cluster/);
  });

  it('a kubeconfig may name a server behind a path', async () => {
    const behind = new KubeClient(
      server.config(
        { token: 't' },
        { server: `${server.url}/k8s/clusters/c-1/`, skipTLSVerify: true },
      ),
    );
    await behind.get(kinds.Node, { name: 'a' });
    expect(server.asked[0]?.path).toBe('/k8s/clusters/c-1/api/v1/nodes/a');
  });
});

describe('a list of large objects', () => {
  const mib = 1024 * 1024;
  const servers: MisbehavingServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((it) => it.close())));
  const withLarge = async (count: number, size: number) => {
    const large = await MisbehavingServer.start([kinds.ConfigMap]);
    servers.push(large);
    for (let index = 0; index < count; index += 1)
      large.store.put(
        kinds.ConfigMap,
        { namespace: 'n', name: `a${index}` },
        { data: { text: 'x'.repeat(size) } },
      );
    const lister = new KubeClient(large.config());
    return { large, lister };
  };
  const limits = (large: MisbehavingServer): readonly (string | null)[] =>
    large.asked.map(({ query }) => query.get('limit'));

  it('a list of large objects is read in smaller pages, and in larger ones after them', async () => {
    const { large, lister } = await withLarge(40, mib / 2);
    for (let index = 0; index < 60; index += 1)
      large.store.put(kinds.ConfigMap, { namespace: 'n', name: `b${index}` }, {});
    const { items } = await lister.list(kinds.ConfigMap, 'n');
    expect(new Set(items.map(({ metadata }) => metadata.name)).size).toBe(100);
    expect(limits(large).slice(0, 4)).toEqual(['500', '125', '32', '8']);
    expect(Math.min(...limits(large).map(Number))).toBe(2);
    expect(Number(limits(large).at(-1))).toBeGreaterThan(8);
  });

  it('a list is read in smaller pages after a page timed out', async () => {
    const { large } = await withLarge(3, 10);
    const hasty = new KubeClient(large.config(), { requestTimeoutMs: 50 });
    large.next('list', () => undefined);
    await expect(hasty.list(kinds.ConfigMap, 'n')).rejects.toMatchObject({ code: 'Timeout' });
    expect((await new KubeClient(large.config()).list(kinds.ConfigMap, 'n')).items).toHaveLength(3);
    await hasty.list(kinds.ConfigMap, 'n').catch(() => undefined);
    expect(limits(large)).toEqual(['500', '500', '125']);
  });

  it('a list is read also where one object is larger than a page', async () => {
    const { large, lister } = await withLarge(2, 9 * mib);
    expect((await lister.list(kinds.ConfigMap, 'n')).items).toHaveLength(2);
    expect(limits(large)).toEqual(['500', '125', '32', '8', '2']);
  });
});
