// Do the manifests bring up an operator that works, with no right too few and none too many?
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump, loadAll } from 'js-yaml';
import { request } from 'undici';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, isKubeObject, type KubeObject } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { parseSettings, settingRows } from '../../../src/settings.ts';
import { Pool, Swarm } from '../pool/swarm.ts';
import { grantedBy, usedBy } from './rights.ts';

const repository = new URL('../../../', import.meta.url).pathname;
const folders = ['.', 'envs/dev', 'envs/prod', 'samples/tv', 'samples/exclusive', 'samples/deployment'];
const account = 'system:serviceaccount:swarm-operator:swarm-operator';

/** What is granted although this run does not use it, and why. */
const surplus: Readonly<Record<string, string>> = {};

let swarm: Swarm;
const work = mkdtempSync(path.join(tmpdir(), 'swarm-manifests-'));
const built = new Map<string, readonly KubeObject[]>();

beforeAll(async () => {
  swarm = await Swarm.start({ controlPlane: { audit: true } });
  for (const folder of folders) built.set(folder, await build(folder));
  // A dry run cannot see what only another dry run has made: namespaces come first, as the definitions did.
  const namespaces = [...built.values()].flat().filter(({ kind }) => kind === 'Namespace');
  await swarm.kubectl('apply', '-f', fileWith('namespaces', namespaces));
}, 300_000);

afterAll(async () => {
  await swarm?.stop();
  rmSync(work, { recursive: true });
});

async function build(folder: string): Promise<readonly KubeObject[]> {
  return loadAll(await swarm.kubectl('kustomize', `${repository}${folder}`)).map((object) => {
    if (!isKubeObject(object)) throw new Error(`${folder}: not an object: ${JSON.stringify(object)}`);
    return object;
  });
}

function fileWith(name: string, objects: readonly object[]): string {
  const file = path.join(work, `${name}.yaml`);
  writeFileSync(file, objects.map((object) => dump(object)).join('---\n'));
  return file;
}

function only(folder: string, kind: string): KubeObject {
  const [found, ...others] = built.get(folder)?.filter((object) => object.kind === kind) ?? [];
  if (found === undefined || others.length > 0) throw new Error(`${folder} has not just one ${kind}`);
  return found;
}

const containerOf = (workload: KubeObject): unknown => asList(dig(workload, 'spec', 'template', 'spec', 'containers'))[0];

describe.each(folders)('%s', (folder) => {
  it('builds, and the API server accepts every object of it', async () => {
    const accepted = await swarm.kubectl('apply', '-k', `${repository}${folder}`, '--dry-run=server', '--validate=strict', '-o', 'name');
    expect(accepted.trim().split('\n')).toHaveLength(built.get(folder)?.length ?? 0);
  });
});

describe('an environment', () => {
  it.each([
    ['envs/dev', 1, 'swarm-operator:dev'],
    ['envs/prod', 2, 'swarm-operator:0.1.0'],
  ])('%s has %d replicas of %s', (folder, replicas, image) => {
    const deployment = only(folder, 'Deployment');
    expect(dig(deployment, 'spec', 'replicas')).toBe(replicas);
    expect(dig(containerOf(deployment), 'image')).toBe(image);
  });

  it.each(['.', 'envs/dev', 'envs/prod'])('%s has all definitions', (folder) => {
    const definitions = readdirSync(`${repository}crds`).filter((file) => file.endsWith('.yaml'));
    expect(built.get(folder)?.filter(({ kind }) => kind === 'CustomResourceDefinition')).toHaveLength(definitions.length);
  });

  it.each(['envs/dev', 'envs/prod'])('%s says only what the operator understands', (folder) => {
    const container = containerOf(only(folder, 'Deployment'));
    const variables = asList(dig(container, 'env')).map((entry): [string, string] => [
      asString(dig(entry, 'name')) ?? '',
      asString(dig(entry, 'value')) ?? '',
    ]);
    expect(settingRows.map(({ variable }) => variable)).toEqual(expect.arrayContaining(variables.map(([name]) => name)));
    const parsed = parseSettings([], Object.fromEntries(variables));
    expect(parsed).toMatchObject({
      ok: true,
      settings: { healthPort: asNumber(dig(asList(dig(container, 'ports'))[0], 'containerPort')) },
    });
  });
});

describe('kubectl apply -k', () => {
  const pool = (): Pool => new Pool(swarm, 'swarm');
  const streams = (): string[] => asList(dig(only('samples/tv', 'SwarmPool'), 'spec', 'streams')).map((it) => String(dig(it, 'name')));
  let operator: OperatorProcess;

  it('envs/dev makes a place where pods are admitted that are `restricted`, and such are ours', async () => {
    await swarm.kubectl('apply', '-k', `${repository}envs/dev`);
    const workloads = [only('envs/dev', 'Deployment'), only('envs/prod', 'Deployment'), only('samples/tv', 'StatefulSet')];
    const pods = workloads.map((workload, index) => podOf(workload, `pod-${index}`));
    await swarm.kubectl('create', '--dry-run=server', '-f', fileWith('pods', pods));
    const open = { ...podOf(only('envs/dev', 'Deployment'), 'open'), spec: { containers: [{ name: 'any', image: 'any' }] } };
    await expect(swarm.kubectl('create', '--dry-run=server', '-f', fileWith('open', [open]))).rejects.toThrow(/violates PodSecurity/);
  });

  it('samples/tv converges under an operator that has the rights of its service account and no others', async () => {
    await swarm.kubectl('wait', '--for=condition=Established', 'crd/swarmpools.k8slab.info', '--timeout=10s');
    await swarm.kubectl('apply', '-k', `${repository}samples/tv`);
    const token = (await swarm.kubectl('-n', 'swarm-operator', 'create', 'token', 'swarm-operator')).trim();
    const kubeconfig = swarm.playground.plane.kubeconfigFor({ name: 'swarm-operator', token });
    // The last of two counts: the other one is the admin's.
    operator = await swarm.operator('--kubeconfig', kubeconfig, '--lease-namespace', 'swarm-operator');
    await pool().converged(streams(), 3, 30);
  });

  it.each(['livenessProbe', 'readinessProbe'])('the %s of the Deployment is answered', async (probe) => {
    const url = asString(dig(containerOf(only('envs/dev', 'Deployment')), probe, 'httpGet', 'path')) ?? '';
    const { statusCode, body } = await request(`http://127.0.0.1:${operator.healthPort}${url}`);
    await body.dump();
    expect(statusCode).toBe(200);
  });

  it('the pool follows when its target is scaled', async () => {
    await swarm.kubectl('-n', 'swarm', 'scale', 'statefulset/swarm-worker', '--replicas=4');
    await pool().converged(streams(), 4);
    await swarm.kubectl('-n', 'swarm', 'scale', 'statefulset/swarm-worker', '--replicas=2');
    await pool().converged(streams(), 2, 40);
  });

  it('a lost ConfigMap comes back', async () => {
    const { version } = await pool().published();
    await swarm.kubectl('-n', 'swarm', 'delete', 'configmap/tv-assignments');
    await pool().until('publishes again', (status) => (status.version ?? 0) > version);
    await pool().converged(streams(), 2);
  });

  it('the pool leads its target, and replaces pods where that is asked for', async () => {
    const edit = (spec: object): Promise<unknown> =>
      swarm.api.patch(kinds.SwarmPool, { namespace: 'swarm', name: 'tv' }, { type: 'merge', body: { spec } });
    await edit({ workers: { scaling: 'Lead' } });
    await pool().until('has taken over its size', async () => {
      const object = await swarm.api.get(kinds.SwarmPool, { namespace: 'swarm', name: 'tv' });
      return dig(object, 'spec', 'workers', 'replicas') === 2;
    });
    await swarm.kubectl('-n', 'swarm', 'scale', 'swarmpool/tv', '--replicas=3');
    await pool().converged(streams(), 3, 40);
    // A worker that cannot tell what it runs has to be replaced.
    await edit({ refresh: { mode: 'Restart' }, probe: { type: 'None' }, streams: [...streams(), 'one-more'].map((name) => ({ name })) });
    await pool().until('has replaced a pod', async () => (await pool().events()).some(({ reason }) => reason === 'Restarting'), 40);
  });

  it('all events could be written', async () => {
    expect((await pool().events()).map(({ reason }) => reason)).toEqual(expect.arrayContaining(['Published', 'Converged']));
  });

  it('rights granted are rights used', async () => {
    await operator.end();
    const rules = built.get('envs/dev')?.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role') ?? [];
    const granted = grantedBy(rules);
    const { used, refused } = usedBy(account, readFileSync(swarm.playground.plane.auditLog ?? '', 'utf8'));
    expect(refused).toEqual([]);
    expect(granted).not.toEqual([]);
    expect(granted.filter((right) => !used.includes(right))).toEqual(Object.keys(surplus));
    expect(used.filter((right) => !granted.includes(right))).toEqual([]);
  });
});

function podOf(workload: KubeObject, name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'swarm-operator' },
    spec: dig(workload, 'spec', 'template', 'spec'),
  };
}
