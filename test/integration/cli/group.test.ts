// From a groups.txt to measured transitions, on a real API server with the real controllers: is the
// group measured, and given back as it was?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { makeGroup, makeMembers } from '../support/group.ts';
import { Swarm } from '../support/swarm.ts';
import { openSession, type Session } from './session.ts';
import { program, swarmctlOn, type Told } from './swarmctl.ts';

const namespace = 'experiment';
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-experiment-'));
const csv = path.join(folder, 'times.csv');
let swarm: Swarm;
let session: Session;
const swarmctl: Session['type'] = (...args) => session.type(...args);

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  await makeMembers(swarm, namespace, { web: {}, db: { startsIn: 1 } });
  session = openSession(swarm.playground.plane.kubeconfig);
});

afterAll(async () => {
  await session?.end();
  for (const { child } of started) child.kill('SIGKILL');
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

const group = (): Promise<KubeObject> =>
  swarm.api.get(kinds.SwarmGroup, { namespace, name: 'web' });
const spec = async (): Promise<unknown> => (await group())['spec'];
const isReady = (): Promise<string> =>
  swarm.kubectl('-n', namespace, 'wait', '--for=condition=Ready', 'swarmgroup/web', '--timeout=5m');

const experiment = ['group', 'experiment', 'web', '-n', namespace, '--sizes', '1,2'];

type Going = {
  readonly child: ReturnType<typeof spawn>;
  readonly text: () => string;
  readonly ended: Promise<unknown[]>;
};
const started: Going[] = [];

/** In a shell, which expands "$@". */
function start(script: string, args: readonly string[]): Going {
  const all = ['-c', script, 'sh', process.execPath, ...program, ...args];
  const env = { ...process.env, KUBECONFIG: swarm.playground.plane.kubeconfig };
  const child = spawn('sh', all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => (text += String(data)));
  const going = { child, text: () => text, ended: once(child, 'close') };
  started.push(going);
  return going;
}

describe('swarmctl group', () => {
  it('group import --from-cluster prints a group that changes no size', async () => {
    const shop = 'imported';
    await makeMembers(swarm, shop, {
      web: { replicas: 3 },
      db: { kind: 'StatefulSet', replicas: 2 },
    });
    const args = ['group', 'import', '--from-cluster', '-n', shop, '-l', 'app_name=shop'];
    const { code, stdout } = await swarmctl(...args);
    expect(code).toBe(0);
    expect(stdout).not.toContain('labels');
    const yaml = path.join(folder, 'imported.yaml');
    writeFileSync(yaml, stdout);
    await swarm.kubectl('apply', '-f', yaml);
    await swarm.kubectl(
      ...['-n', shop, 'wait', '--for=condition=Ready', 'swarmgroup', '--all', '--timeout=5m'],
    );
    const sizes = ['-o', 'jsonpath={.items[*].spec.replicas}'];
    expect(await swarm.kubectl('-n', shop, 'get', 'deployments,statefulsets', ...sizes)).toBe(
      '3 2',
    );
  });

  it('group import prints groups that kubectl apply accepts', async () => {
    const file = path.join(folder, 'groups.txt');
    writeFileSync(file, 'web,db\n');
    const { code, stdout } = await swarmctl('group', 'import', file, '-n', namespace);
    expect(code).toBe(0);
    const yaml = path.join(folder, 'groups.yaml');
    writeFileSync(yaml, stdout);
    expect(await swarm.kubectl('apply', '-f', yaml)).toBe('swarmgroup.k8slab.info/web created\n');
    await isReady();
    // As taken over from the members.
    expect(dig(await spec(), 'replicas')).toBe(1);
    expect(await swarm.kubectl('get', 'swg', '-A', '-l', 'app_name=teastore', '-o', 'name')).toBe(
      'swarmgroup.k8slab.info/web\n',
    );
  });

  it('group status and plan show a group, and group retry says that nothing waits', async () => {
    const inNamespace = (...args: readonly string[]): Promise<Told> =>
      swarmctl('group', ...args, 'web', '-n', namespace);
    expect((await inNamespace('status')).stdout).toMatch(
      /^SwarmGroup experiment\/web: size 1, 2 of 2 members ready, Together\nReady for /,
    );
    expect((await inNamespace('plan', '--replicas', '3')).stdout).toContain(
      'size 1 -> 3, Together: 2 members would be scaled\n',
    );
    expect(await inNamespace('retry')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no size is waiting for a retry'),
    });
  });

  it('group experiment measures each step of each round, and gives the group back', async () => {
    const before = await spec();
    // In a process of its own, like the experiments below.
    const { code, stdout, stderr } = await swarmctlOn(swarm.playground.plane.kubeconfig)(
      ...experiment,
      '--repeat',
      '2',
      '--warm-up',
      '0',
      '--out',
      csv,
    );
    expect(stderr).toContain('web: restored to size 1, order Together\n');
    expect(code).toBe(0);
    const [header, ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n');
    expect(header).toBe('group,from,to,order,repeat,member,patch_ms,ready_ms,total_ms');
    const places = ['Together', 'Staged'].flatMap((order) =>
      [1, 2].flatMap((repeat) =>
        ['1,2', '2,1'].flatMap((step) =>
          ['web', 'db'].map((member) => `web,${step},${order},${repeat},Deployment/${member}`),
        ),
      ),
    );
    expect(lines.map((line) => line.split(',').slice(0, 6).join()).sort()).toEqual(places.sort());
    for (const line of lines) {
      const [patch = 0, ready = 0, total = 0] = line.split(',').slice(6).map(Number);
      expect([patch <= ready, ready <= total, total > 0]).toEqual([true, true, true]);
    }
    expect(stdout).toMatch(/^web +Together +1 +2 +2 .* Deployment\/\w+ \([12] of 2\)$/m);
    expect(await spec()).toEqual(before);
    const times = await swarmctl('group', 'times', 'web', '-n', namespace);
    expect(times.stdout).toContain('completed and measured; total p50 ');
  });

  it('an interrupted group experiment gives the group back', async () => {
    const before = await spec();
    const going = start('exec "$@"', [...experiment, '--repeat', '100', '--order', 'Staged']);
    await eventually('it is under way', () => going.text().includes('web: [1/202]'));
    going.child.kill('SIGINT');
    expect(await going.ended).toEqual([1, null]);
    expect(going.text()).toContain('web: interrupted\n');
    expect(await spec()).toEqual(before);
    await isReady();
  });

  it('group experiment gives the group back when no process reads what it prints', async () => {
    const before = await spec();
    const going = start('"$@" | head -n 1', [...experiment, '--repeat', '100', '--warm-up', '0']);
    await going.ended;
    expect(going.text()).toContain('web: interrupted\n');
    expect(await spec()).toEqual(before);
    await isReady();
  });

  it('group experiment leaves what a user sets meanwhile, and says so', async () => {
    const going = start('exec "$@"', [...experiment, '--repeat', '100', '--order', 'Staged']);
    await eventually('it is under way', () => going.text().includes('web: [1/202]'));
    await swarm.kubectl('-n', namespace, 'scale', 'swarmgroup/web', '--replicas=3');
    expect(await going.ended).toEqual([1, null]);
    expect(going.text()).toContain('web: stopped: another client changed spec.replicas to 3');
    expect(going.text()).toContain('web: spec.replicas stays 3, because another client set it\n');
    expect(dig(await spec(), 'replicas')).toBe(3);
    expect(dig(await spec(), 'transition', 'order')).toBe('Together');
  });

  it('group retry tries a failed size at once', async () => {
    const shop = await makeGroup(swarm, 'retry', {
      members: { a: {} },
      spec: {
        replicas: 1,
        members: [{ kind: 'Deployment', name: 'a' }],
        transition: { timeoutSeconds: 5, onTimeout: 'Rollback', retryAfterSeconds: 3_600 },
      },
    });
    await shop.atSize(1);
    await shop.kubectl('create', 'quota', 'full', '--hard=pods=1');
    await shop.kubectl('scale', 'swarmgroup/shop', '--replicas=2');
    await shop.until('waits', async () => (await shop.condition('Ready'))?.reason === 'BackingOff');
    await shop.kubectl('delete', 'quota', 'full');
    const { code, stdout } = await swarmctl('group', 'retry', 'shop', '-n', 'retry');
    expect(stdout).toMatch(
      /^SwarmGroup retry\/shop: the operator retries size 2 now \(RolledBack; requested \d+s ago\)\n$/,
    );
    expect(code).toBe(0);
    await shop.atSize(2);
  });
});
