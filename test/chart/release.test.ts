// Does the Helm chart install, upgrade and uninstall as docs/install.md says? Its commands, typed
// like a reader.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type ControlPlane,
  startControlPlane,
} from '../../src/playground/control-plane/control-plane.ts';
import { commandsIn } from '../docs/commands.ts';
import { Shell } from '../docs/shell.ts';
import { repository } from '../integration/deploy/overlays.ts';
import { PATIENCE_SECONDS } from '../integration/support/shared/shared-plane.ts';
import { definitionsServed } from '../support/definitions.ts';
import { chart, Helm } from './helm.ts';

const page = readFileSync(`${repository}docs/install.md`, 'utf8');
const section = `## With Helm${page.split('\n## With Helm\n')[1]?.split('\n## ')[0]}`;
const commands = commandsIn('docs/install.md', section).map(({ command }) => command);
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-chart-'));
const older = path.join(folder, 'older');
let plane: ControlPlane;
let shell: Shell;

const kubectl = async (...args: readonly string[]): Promise<string> => {
  const all = ['--kubeconfig', plane.kubeconfig, ...args];
  return (await promisify(execFile)(plane.binaries.kubectl, all)).stdout;
};

beforeAll(async () => {
  const helm = await Helm.find();
  plane = await startControlPlane({ timeoutSeconds: PATIENCE_SECONDS });
  // Of an earlier version, whose CRD lacks a short name.
  cpSync(chart, older, { recursive: true });
  const definition = path.join(older, 'templates/crds/swarmpool.yaml');
  const text = readFileSync(definition, 'utf8');
  writeFileSync(definition, text.replace(/ {4}shortNames:\n {6}- swp\n/, ''));
  const folders = [helm.file, plane.binaries.kubectl].map((file) => path.dirname(file));
  const PATH = [...folders, process.env['PATH']].join(path.delimiter);
  shell = new Shell(repository, { ...process.env, PATH, KUBECONFIG: plane.kubeconfig });
});

afterAll(async () => {
  await shell?.end();
  await plane?.stop();
  rmSync(folder, { recursive: true });
});

async function type(what: string, change = (command: string): string => command): Promise<string> {
  const found = commands.filter((command) => command.startsWith(what));
  expect(found).toHaveLength(1);
  const { code, text } = await shell.type(change(found[0] ?? ''), 600);
  expect({ code, text }).toMatchObject({ code: 0 });
  return text;
}
const ours = (): Promise<string> =>
  kubectl('get', 'crd,clusterrole,validatingadmissionpolicy,deployment', '-A', '-o', 'name').then(
    (names) =>
      names
        .split('\n')
        .filter((name) => name.includes('swarm'))
        .sort()
        .join('\n'),
  );

it('docs/install.md has four commands for the chart', () => {
  expect(commands.map((command) => command.split(' ').slice(0, 2).join(' '))).toEqual([
    'helm install',
    'kubectl label',
    'helm upgrade',
    'helm uninstall',
  ]);
});

it('helm installs the operator in a namespace that admits only `restricted` pods', async () => {
  await type('helm install', (command) => command.replace('deploy/chart', older));
  await type('kubectl label');
  await definitionsServed(kubectl);
  expect(await ours()).toContain('deployment.apps/swarm-operator');
  const may = ['auth', 'can-i', 'patch', 'configmaps', '-A'];
  expect(await kubectl(...may, '--as=system:serviceaccount:swarm-operator:swarm-operator')).toBe(
    'yes\n',
  );
});

it('helm upgrades the CRD as well', async () => {
  const names = ['get', 'crd/swarmpools.k8slab.info', '-o', 'jsonpath={.spec.names.shortNames}'];
  expect(await kubectl(...names)).toBe('');
  await type('helm upgrade');
  expect(await kubectl(...names)).toBe('["swp"]');
});

it('helm uninstalls all but the CRDs and their objects', async () => {
  const pool = {
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmPool',
    metadata: { name: 'tv' },
    spec: { workers: { selector: { matchLabels: { app: 'worker' } } } },
  };
  const file = path.join(folder, 'pool.json');
  writeFileSync(file, JSON.stringify(pool));
  await kubectl('apply', '-f', file);
  expect(await type('helm uninstall')).toContain('[CustomResourceDefinition] swarmpools');
  expect(await ours()).toBe(
    ['swarmgroups', 'swarmjobs', 'swarmpools', 'swarmqueues']
      .map((name) => `customresourcedefinition.apiextensions.k8s.io/${name}.k8slab.info`)
      .join('\n'),
  );
  expect(await kubectl('get', 'swarmpool', '-o', 'name')).toBe('swarmpool.k8slab.info/tv\n');
});

it('helm installs the operator again, over the CRD that was kept', async () => {
  await type('helm install');
  await type('helm uninstall');
});

it('helm takes over with two flags what kubectl has installed, and upgrades it', async () => {
  await kubectl('apply', '-k', repository);
  const installed = await ours();
  await type('helm install', (command) => `${command} --take-ownership --force-conflicts`);
  await type('helm upgrade', (command) => `${command} --force-conflicts --set replicas=3`);
  const replicas = ['get', 'deployment/swarm-operator', '-o', 'jsonpath={.spec.replicas}'];
  expect(await kubectl('-n', 'swarm-operator', ...replicas)).toBe('3');
  expect(await ours()).toBe(installed);
});
