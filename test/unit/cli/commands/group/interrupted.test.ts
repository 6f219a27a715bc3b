// Does a second interrupt end an experiment at once, and say what is not put back?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../../../../support/processes.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import { groupObject } from '../../group-object.ts';

const main = fileURLToPath(new URL('../../../../../src/cli/swarmctl.ts', import.meta.url));
const cluster = new FakeCluster({
  swarmgroups: [groupObject()],
  horizontalpodautoscalers: [],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

it('a second interrupt ends an experiment at once though the API server does not answer', async () => {
  cluster.isSilentToWrites = true;
  const args = ['group', 'experiment', 'shop', '--sizes', '3,4', '--order', 'Together'];
  const child = spawn(process.execPath, [main, ...args, '--kubeconfig', cluster.kubeconfig], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (text) => (told += String(text)));
  const ended = once(child, 'close');
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  await eventually('it has written', () => cluster.writes.length > 0 || hasEnded);
  if (cluster.writes.length === 0) throw new Error(`it ended before it wrote: ${told}`);
  expect(cluster.writes).toMatchObject([
    ['PATCH', 'swarmgroups/shop', { spec: { replicas: 3, transition: { order: 'Together' } } }],
  ]);
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
  expect(told).toContain(
    'swarmctl group experiment: shop was not restored: spec.replicas is 3, and was 1, spec.transition.order is Together, and was Staged\n',
  );
});
