// Does swarmctl say which streams are down, why, and when others take over, on a cluster in which
// the image of one worker cannot be had?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';
import { openSession, type Session } from './session.ts';
import type { Told } from './swarmctl.ts';

const namespace = 'down';
const streams = names(6);
let swarm: Swarm;
let pool: Pool;
let session: Session;

const inNamespace = (...args: readonly string[]): Promise<Told> =>
  session.type(...args, '-n', namespace);

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  pool = await swarm.pool(namespace, { streams, workers: 3 });
  await pool.converged(streams, 3);
  await pool.edit({ workers: { failover: { timeoutSeconds: 3_600 } } });
  session = openSession(swarm.playground.plane.kubeconfig);
});

afterAll(async () => {
  await session?.end();
  await swarm.stop();
});

it('streams, explain and status name the image that cannot be had, and the time until others take over', async () => {
  const patch = [
    {
      ...{ op: 'add', path: '/spec/updateStrategy' },
      value: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
    },
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'no-such-image:1' },
  ];
  await swarm.kubectl(
    ...['-n', namespace, 'patch', 'statefulset', 'worker', '--type=json'],
    ...['-p', JSON.stringify(patch)],
  );
  const status = await pool.until(
    'worker-2 cannot get its image',
    ({ workers }) => workers?.[2]?.message?.includes('ImagePullBackOff: no-such-image:1') === true,
  );
  expect(status).toMatchObject({
    streams: { assigned: 6, down: 2 },
    workers: [{}, {}, { takeoverTime: expect.any(String) }],
  });
  expect(await pool.condition('Converged')).toMatchObject({
    reason: 'PodsNotReady',
    message: expect.stringMatching(/^2 streams are down: worker-2 Pending /),
  });

  const listed = await inNamespace('streams', 'tv');
  expect(listed.code).toBe(1);
  expect(listed.stdout).toMatch(
    /worker-2 is down: its pod is not Ready \(ImagePullBackOff: no-such-image:1\); other workers take over its streams in 3\d\d\d s /,
  );
  expect(listed.stdout.match(/ +worker-2 +Down /g)).toHaveLength(2);

  const [down = ''] = status.workers?.[2]?.jobs ?? [];
  const explained = await inNamespace('explain', 'tv', down);
  expect(explained.code).toBe(1);
  expect(explained.stdout).toContain(`${down}: worker-2 (Down)`);
  expect(explained.stdout).toMatch(
    /worker-2 is down: .*ImagePullBackOff.*\n +other workers take over its streams in 3\d\d\d s/,
  );

  const shown = await inNamespace('status', 'tv');
  expect(shown.stdout).toContain('6 streams, 2 down');
  expect(shown.stdout).toMatch(/other workers take over 2 streams of worker-2 in \d+m/);
});
