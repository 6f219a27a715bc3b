// Is a stream, pool or group named that was probably meant?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Command } from '../../../../src/cli/arguments/command.ts';
import { explain } from '../../../../src/cli/commands/explain.ts';
import { groupPlan } from '../../../../src/cli/commands/group/plan.ts';
import { logs } from '../../../../src/cli/commands/logs.ts';
import { pause } from '../../../../src/cli/commands/pause.ts';
import { plan } from '../../../../src/cli/commands/plan.ts';
import { status } from '../../../../src/cli/commands/status.ts';
import { FakeCluster, metadata } from '../fake-cluster.ts';
import { ran } from '../ran.ts';

const labels = { app: 'w' };
const data = {
  'config.yml': 'workloads: { worker-0: { jobs: [cars, cnbc], version: 1 } }\nversion: 1\n',
};
const cluster = new FakeCluster({
  swarmpools: [
    {
      metadata: metadata('tv'),
      spec: {
        workers: { targetRef: { name: 'worker' } },
        streams: [{ name: 'cars' }, { name: 'cnbc' }],
      },
    },
  ],
  statefulsets: [
    {
      metadata: metadata('worker'),
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels } } },
    },
  ],
  swarmgroups: [
    { metadata: metadata('teastore'), spec: { members: [{ kind: 'Deployment', name: 'web' }] } },
  ],
  configmaps: [
    { metadata: metadata('tv-assignments', { labels: { 'k8slab.info/pool': 'tv' } }), data },
  ],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

it.each<[string, Command, readonly string[], string]>([
  ['explain', explain, ['tv', 'casr'], 'streams of the pool; did you mean cars?'],
  ['explain', explain, ['tv', 'weather'], 'streams of the pool\n'],
  ['plan', plan, ['tv', '--remove', 'cnbd'], 'SwarmPool tv; did you mean cnbc?'],
  ['logs', logs, ['tv', 'cnb'], 'has the stream cnb; did you mean cnbc?; `swarmctl explain`'],
  ['status', status, ['tvv'], 'no SwarmPool tvv in namespace swarm; did you mean tv?\n'],
  ['status', status, ['radio'], 'there is no SwarmPool radio in namespace swarm\n'],
  ['pause', pause, ['tvv'], 'no SwarmPool tvv in namespace swarm; did you mean tv?\n'],
  ['explain', explain, ['tvv', 'cars'], 'no SwarmPool tvv in namespace swarm; did you mean tv?\n'],
  [
    'group plan',
    groupPlan,
    ['teastor'],
    'no SwarmGroup teastor in namespace swarm; did you mean t',
  ],
])(
  'swarmctl %s suggests the name that was probably meant, where one is near',
  async (_, command, args, says) => {
    const { stdout, stderr } = await ran(command, ...args, '--kubeconfig', cluster.kubeconfig);
    expect(stdout + stderr).toContain(says);
  },
);
