// Does a local control plane keep its promises? Tested on a real one.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import {
  type ControlPlane,
  startControlPlane,
} from '../../../src/playground/control-plane/control-plane.ts';
import { eventually, living } from '../../support/processes.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One request on a new connection that trusts only the control plane's CA. */
async function ask(
  plane: ControlPlane,
  token: string,
  method: 'GET' | 'POST',
  resource: string,
  object?: object,
): Promise<Answer> {
  const dispatcher = new Agent({ connect: { ca: plane.authority } });
  try {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { statusCode, body } = await request(`${plane.url}${resource}`, {
      dispatcher,
      method,
      headers,
      body: object === undefined ? null : JSON.stringify(object),
    });
    return { status: statusCode, body: await body.json() };
  } finally {
    await dispatcher.close();
  }
}

const asAdmin = (
  plane: ControlPlane,
  method: 'GET' | 'POST',
  resource: string,
  object?: object,
): Promise<Answer> => ask(plane, plane.tokenOf('admin'), method, resource, object);

async function makeNamespace(plane: ControlPlane, name: string): Promise<void> {
  const { status } = await asAdmin(plane, 'POST', '/api/v1/namespaces', { metadata: { name } });
  expect(status).toBe(201);
}

/** The controller manager's work: both appear soon after their namespace. */
async function expectPopulated(plane: ControlPlane, namespace: string): Promise<void> {
  for (const object of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
    const resource = `/api/v1/namespaces/${namespace}/${object}`;
    await eventually(
      `${object} is in ${namespace}`,
      async () => (await asAdmin(plane, 'GET', resource)).status === 200,
    );
  }
}

describe('a control plane', () => {
  let plane: ControlPlane;

  beforeAll(async () => {
    plane = await startControlPlane({
      audit: true,
      nodeMonitorGraceSeconds: 2,
      users: [{ name: 'alice' }, { name: 'carol', groups: ['system:masters'] }],
    });
  });

  afterAll(async () => {
    await plane?.stop();
  });

  it('a control plane has a controller manager: a new namespace gets its service account and CA bundle', async () => {
    await makeNamespace(plane, 'populated');
    await expectPopulated(plane, 'populated');
    const { body } = await asAdmin(
      plane,
      'GET',
      '/api/v1/namespaces/populated/configmaps/kube-root-ca.crt',
    );
    expect(body).toMatchObject({ data: { 'ca.crt': plane.authority } });
  });

  it('clients trust a control plane only if they trust its CA', async () => {
    await expect(request(`${plane.url}/readyz`)).rejects.toThrow(/self.signed/);
  });

  it.each([
    ['alice', 403],
    ['carol', 200],
  ])('a control plane enforces RBAC for a user: %s gets %d', async (user, status) => {
    expect(await ask(plane, plane.tokenOf(user), 'GET', '/api/v1/nodes')).toMatchObject({ status });
  });

  it('a control plane refuses an unknown token', async () => {
    expect(await ask(plane, 'forged', 'GET', '/api/v1/nodes')).toMatchObject({ status: 401 });
  });

  it('a control plane accepts a token that it issued for a service account', async () => {
    const { body } = await asAdmin(
      plane,
      'POST',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      { spec: {} },
    );
    const issued: { status: { token: string } } = JSON.parse(JSON.stringify(body));
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    expect(
      await ask(
        plane,
        issued.status.token,
        'POST',
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        review,
      ),
    ).toMatchObject({
      status: 201,
      body: { status: { userInfo: { username: 'system:serviceaccount:default:default' } } },
    });
  });

  it('a control plane writes kubeconfig files that kubectl understands', () => {
    const whoAmI = (kubeconfig: string): string =>
      execFileSync(
        plane.binaries.kubectl,
        [
          '--kubeconfig',
          kubeconfig,
          'auth',
          'whoami',
          '-o',
          'jsonpath={.status.userInfo.username}',
        ],
        {
          encoding: 'utf8',
        },
      );
    expect(whoAmI(plane.kubeconfig)).toBe('admin');
    expect(whoAmI(plane.kubeconfigFor('alice'))).toBe('alice');
    expect(whoAmI(plane.kubeconfigFor({ name: 'someone', token: plane.tokenOf('carol') }))).toBe(
      'carol',
    );
    expect(() => plane.kubeconfigFor('nobody')).toThrow('no user nobody; there are admin, ');
  });

  it('a control plane records each request and its user in its audit log', async () => {
    await asAdmin(plane, 'GET', '/api/v1/namespaces/default/configmaps/asked-for');
    const log = plane.auditLog ?? 'no audit log';
    const asked = (): unknown[] =>
      readFileSync(log, 'utf8')
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.includes('asked-for'))
        .map((line) => JSON.parse(line));
    await eventually('the request is in the audit log', () => asked().length > 0);
    expect(asked()).toEqual([
      expect.objectContaining({
        verb: 'get',
        user: expect.objectContaining({ username: 'admin' }),
      }),
    ]);
  });

  it('a control plane soon marks a silent node', async () => {
    const heartbeat = new Date().toISOString();
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Test',
      lastHeartbeatTime: heartbeat,
      lastTransitionTime: heartbeat,
    };
    await asAdmin(plane, 'POST', '/api/v1/nodes', {
      metadata: { name: 'silent' },
      status: { conditions: [ready] },
    });
    await eventually('the node is not Ready', async () => {
      const { body } = await asAdmin(plane, 'GET', '/api/v1/nodes/silent');
      return JSON.stringify(body).includes('NodeStatusUnknown');
    });
  });

  it.each([
    ['API server', 'SIGTERM', () => plane.restart(['apiServer'])],
    ['API server', 'SIGKILL', () => plane.restart(['apiServer'], { signal: 'SIGKILL' })],
    ['etcd', 'SIGTERM', () => plane.restart(['etcd'])],
    ['etcd', 'SIGKILL', () => plane.restart(['etcd'], { signal: 'SIGKILL' })],
  ])(
    'a control plane keeps address and data while its %s is restarted by %s',
    async (_, signal, restart) => {
      const before = plane.pids;
      const namespace = `before-${before.apiServer}-${before.etcd}-${signal.toLowerCase()}`;
      await makeNamespace(plane, namespace);
      await restart();
      expect(plane.pids).not.toEqual(before);
      expect(await asAdmin(plane, 'GET', `/api/v1/namespaces/${namespace}`)).toMatchObject({
        status: 200,
      });
      await makeNamespace(plane, `${namespace}-after`);
      await expectPopulated(plane, `${namespace}-after`);
    },
  );

  it('a control plane answers no request while its API server is down', async () => {
    let whileDown: unknown;
    await plane.restart(['apiServer'], {
      signal: 'SIGKILL',
      whileDown: async () => {
        whileDown = await asAdmin(plane, 'GET', '/readyz').catch((error) => error.code);
      },
    });
    expect(whileDown).toBe('ECONNREFUSED');
  });
});

describe('several control planes', () => {
  it('several control planes run side by side, and leave nothing behind', async () => {
    const planes = await Promise.all([startControlPlane(), startControlPlane()]);
    const [first, second] = planes;
    await makeNamespace(first, 'only-in-the-first');
    expect(await asAdmin(second, 'GET', '/api/v1/namespaces/only-in-the-first')).toMatchObject({
      status: 404,
    });
    expect(
      await ask(second, first.tokenOf('admin'), 'GET', '/api/v1/namespaces').catch(
        (error) => error.message,
      ),
    ).toMatchObject({
      status: 401,
    });
    const pids = planes.flatMap((plane) => Object.values(plane.pids));
    expect(living(pids)).toHaveLength(6);
    await Promise.all(planes.map((plane) => plane.stop()));
    expect(living(pids)).toEqual([]);
    for (const { dir } of planes) expect(existsSync(dir)).toBe(false);
  });

  it('a control plane keeps its data in a given folder', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'kept-'));
    try {
      const first = await startControlPlane({ dir });
      await makeNamespace(first, 'kept');
      await first.stop();
      const second = await startControlPlane({ dir });
      expect(await asAdmin(second, 'GET', '/api/v1/namespaces/kept')).toMatchObject({
        status: 200,
      });
      await second.stop();
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

it('a failed start names the component and its log, and ends the others', async () => {
  const { message } = await startControlPlane({
    extraArguments: { apiServer: ['--no-such-flag'] },
  }).then(
    () => new Error('it started'),
    (error: Error) => error,
  );
  const [, log = ''] =
    /its log (\S+) ends with:\n {2}Error: unknown flag: --no-such-flag$/.exec(message) ?? [];
  expect(message).toMatch(/^kube-apiserver .*has ended/);
  expect(existsSync(log)).toBe(true);
  rmSync(path.dirname(log), { recursive: true });
});

it('control planes leave nothing behind when their parent is killed', async () => {
  const module = path.join(
    import.meta.dirname,
    '../../../src/playground/control-plane/control-plane.ts',
  );
  const script = `
    import { startControlPlane } from ${JSON.stringify(module)};
    const { dir, pids } = await startControlPlane();
    console.log(JSON.stringify({ dir, pids: Object.values(pids) }));`;
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const { dir, pids }: { dir: string; pids: number[] } = JSON.parse(line);
  expect(living(pids)).toHaveLength(3);
  parent.kill('SIGKILL');
  await eventually('all of its processes have ended', () => living(pids).length === 0);
  await eventually('its folder is gone', () => !existsSync(dir));
});
