// Does one operator of a cluster lead, whatever namespace the context of each kubeconfig names?
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { dump, load } from 'js-yaml';
import { request } from 'undici';
import { kinds } from '../../src/api/kinds.ts';
import { ledgerName } from '../../src/api/ledger.ts';
import { asList, asRecord, asString, dig } from '../../src/api/objects.ts';
import {
  type OperatorProcess,
  startOperatorProcess,
} from '../../src/playground/operator-process.ts';
import { KubeClient } from '../../src/runtime/client/client.ts';
import { orNothing } from '../../src/runtime/client/errors.ts';
import { loadKubeConfig } from '../../src/runtime/client/load-config.ts';
import { eventually } from '../support/processes.ts';
import { swarmctlOn } from './cli/swarmctl.ts';
import { PATIENCE_SECONDS } from './support/shared/shared-plane.ts';
import { Swarm } from './support/swarm.ts';

let swarm: Swarm;
const running: OperatorProcess[] = [];

beforeAll(async () => {
  // One operator may not look for others: the comparison of permissions must not count it.
  swarm = await Swarm.start({ keepsAudit: false });
  for (const name of ['here', 'there', 'ops', 'team-a'])
    await swarm.kubectl('create', 'namespace', name);
});
afterEach(async () => {
  const left = running.splice(0).filter(({ hasEnded }) => !hasEnded);
  await Promise.all(left.map((operator) => operator.end()));
  await swarm.kubectl('delete', 'lease', '-n', 'team-a', '--all');
});
afterAll(() => swarm?.stop());

/** With all rights, as with `kubectl config set-context --current --namespace`. */
function kubeconfigIn(namespace: string): string {
  const { kubeconfig, dir } = swarm.playground.plane;
  const config = asRecord(load(readFileSync(kubeconfig, 'utf8')));
  const [first] = asList(dig(config, 'contexts'));
  const context = { ...asRecord(dig(first, 'context')), namespace };
  const file = path.join(dir, `context-${namespace}.kubeconfig`);
  const contexts = [{ ...asRecord(first), context }];
  writeFileSync(file, dump({ ...config, contexts }), { mode: 0o600 });
  return file;
}

async function start(kubeconfig: string, ...args: readonly string[]): Promise<OperatorProcess> {
  const { plane, guard } = swarm.playground;
  const operator = await startOperatorProcess({
    kubeconfig,
    logFile: path.join(plane.dir, 'leadership.log'),
    guard,
    args,
    readySeconds: PATIENCE_SECONDS,
  });
  running.push(operator);
  return operator;
}

async function healthOf({ healthPort }: OperatorProcess): Promise<unknown> {
  const { body } = await request(`http://127.0.0.1:${healthPort}/internal/health`);
  return body.json();
}
const leads = async (operator: OperatorProcess): Promise<boolean> =>
  dig(await healthOf(operator), 'leading') === true;
const standbyOf = async (operator: OperatorProcess): Promise<string> =>
  asString(dig(await healthOf(operator), 'standby')) ?? '';

const swarmctl = (...args: readonly string[]) =>
  swarmctlOn(swarm.playground.plane.kubeconfig)(...args);

const job = (name: string) =>
  swarm.create(kinds.SwarmJob, 'here', name, {
    spec: { queueName: 'batch', image: 'example.org/sim', command: ['run'] },
  });
const isAdmitted = async (name: string): Promise<boolean> => {
  const ref = { namespace: 'swarm-operator', name: ledgerName('here') };
  const ledger = await orNothing(swarm.api.get(kinds.ConfigMap, ref));
  return (asString(dig(ledger, 'data', 'ledger.json')) ?? '').includes(`"${name}"`);
};

/** Wherever an operator keeps it. */
async function ledgersOfHere(): Promise<readonly string[]> {
  const { items } = await swarm.api.list(kinds.ConfigMap, undefined);
  return items
    .filter(({ metadata }) => metadata.name === ledgerName('here'))
    .map(({ metadata: { namespace, name, uid } }) => `${namespace}/${name} ${uid}`);
}

it('of two operators with different contexts one leads, the other says where, and takes over its ledger', async () => {
  const both = await Promise.all([start(kubeconfigIn('here')), start(kubeconfigIn('there'))]);
  const leaders = async (): Promise<readonly OperatorProcess[]> => {
    const found = await Promise.all(both.map(async (it) => ((await leads(it)) ? [it] : [])));
    return found.flat();
  };
  await eventually('one leads', async () => (await leaders()).length === 1);
  const [leader] = await leaders();
  const standby = both.find((it) => it !== leader);
  if (leader === undefined || standby === undefined) throw new Error('there is no standby');
  await eventually('the standby says so', async () => (await standbyOf(standby)) !== '');
  expect(await standbyOf(standby)).toMatch(
    `(Lease swarm-operator/swarm-operator, process ${leader.pid} on `,
  );
  expect(readFileSync(standby.logFile, 'utf8')).toContain('"message":"standing by"');
  await swarm.create(kinds.SwarmQueue, 'here', 'batch', { spec: { quota: { pods: '1' } } });
  await job('first');
  await eventually('the job is admitted', () => isAdmitted('first'));
  const before = await ledgersOfHere();
  expect(before).toHaveLength(1);
  await leader.end('SIGKILL');
  await eventually('the other leads', () => leads(standby), 60);
  expect(await standbyOf(standby)).toBe('');
  await job('second');
  await swarm.kubectl('-n', 'here', 'delete', 'swarmjob', 'first');
  await eventually('the next job is admitted', () => isAdmitted('second'));
  expect(await ledgersOfHere()).toEqual(before);
});

it('an operator outside of the cluster gives way to one that is installed later, and swarmctl shows it', async () => {
  const byHand = await start(kubeconfigIn('here'));
  await eventually('it leads', () => leads(byHand));
  const installed = await start(kubeconfigIn('here'), '--lease-namespace', 'ops');
  await eventually('the installed one leads', () => leads(installed));
  await eventually('the first gives way', async () => !(await leads(byHand)));
  expect(await standbyOf(byHand)).toContain('another operator leads: ');
  expect(await standbyOf(byHand)).toContain('(Lease ops/swarm-operator, process ');
  const { stdout } = await swarmctl('version');
  expect(stdout).toMatch(
    /^operator: leader .* \(Lease ops\/swarm-operator, process \d+ on .*, namespaces: all\)$/m,
  );
  await installed.end('SIGTERM');
  await eventually('the first leads again', () => leads(byHand), 60);
});

it('two operators that watch other namespaces both lead, and swarmctl shows both', async () => {
  const one = await start(kubeconfigIn('here'), '--namespaces', 'here');
  const other = await start(kubeconfigIn('here'), '--namespaces', 'there');
  await eventually('both lead', async () => (await leads(one)) && (await leads(other)));
  const { stdout } = await swarmctl('version');
  for (const namespace of ['here', 'there'])
    expect(stdout).toMatch(new RegExp(`Lease swarm-operator/swarm-operator.${namespace}, `));
});

it('a tenant with the role edit forges a Lease: the installed operator leads, and the other names the Lease', async () => {
  for (const args of [
    ['serviceaccount', 'tenant'],
    ['rolebinding', 'tenant', '--clusterrole=edit', '--serviceaccount=team-a:tenant'],
  ])
    await swarm.kubectl('-n', 'team-a', 'create', ...args);
  const config = loadKubeConfig({ file: await swarm.kubeconfigOf('team-a', 'tenant') });
  const tenant = new KubeClient(config, { userAgent: 'tenant' });
  await tenant.create(kinds.Lease, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace: 'team-a',
      name: 'swarm-operator',
      labels: { 'app.kubernetes.io/managed-by': 'swarm-operator' },
    },
    spec: { holderIdentity: 'forged', leaseDurationSeconds: 2_000_000_000 },
  });
  await config.closeConnections();
  const byHand = await start(kubeconfigIn('here'));
  await eventually('it waits', async () => (await standbyOf(byHand)) !== '');
  expect(await standbyOf(byHand)).toContain('forged (Lease team-a/swarm-operator, ');
  expect(await leads(byHand)).toBe(false);
  const installed = await swarm.operator();
  running.push(installed);
  await eventually('the installed one leads', () => leads(installed), 60);
});

it('an operator that may not look for others does not lead until it is told where its Lease is', async () => {
  const kubeconfig = await swarm.kubeconfigOf('swarm-operator', 'swarm-operator');
  const blind = await start(kubeconfig);
  await eventually('it says so', async () => (await standbyOf(blind)) !== '');
  expect(await standbyOf(blind)).toMatch(/may not look for other operators.*--lease-namespace/);
  expect(await leads(blind)).toBe(false);
  const told = await start(kubeconfig, '--lease-namespace', 'swarm-operator');
  await eventually('it leads', () => leads(told));
});
