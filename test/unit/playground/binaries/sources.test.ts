// The four ways to Kubernetes binaries, in their order; what `go build` makes; what is pinned.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { settingsFrom } from '../../../../src/playground/binaries/binaries.ts';
import { checksums } from '../../../../src/playground/binaries/checksums.ts';
import { releasedFileOf } from '../../../../src/playground/binaries/publishers.ts';
import {
  type BinaryName,
  containerdVersion,
  etcdVersion,
  fileOf,
  helmVersion,
  kubernetesVersion,
  releases,
} from '../../../../src/playground/binaries/releases.ts';
import { Machine, pathOf, released, sha256 } from './machine.ts';

let machine: Machine;

beforeEach(() => {
  machine = new Machine();
});

afterEach(() => machine.end());

describe('binaries that exist', () => {
  it('binaries are taken from KUBEBUILDER_ASSETS when it has all of them', async () => {
    const assetsFolder = path.join(machine.folder, 'assets');
    const etcd = machine.script('assets/etcd');
    const kubectl = machine.script('assets/kubectl');
    expect(await machine.find(['etcd', 'kubectl'], { assetsFolder })).toEqual({ etcd, kubectl });
    expect(machine.output).toBe('');
  });

  it.each([
    { what: 'the same minor version', version: 'v1.36.0', apiServerFrom: 'assets' },
    { what: 'another minor version', version: 'v1.35.2', apiServerFrom: 'cache' },
  ])(
    'an API server of $what comes from the $apiServerFrom, and the missing binaries from the cache',
    async ({ version, apiServerFrom }) => {
      const assetsFolder = path.join(machine.folder, 'assets');
      machine.script('assets/kube-apiserver', `echo Kubernetes ${version}`);
      for (const name of ['kube-apiserver', 'kube-controller-manager'])
        machine.script(`cache/${name}`);
      expect(
        await machine.find(['kube-apiserver', 'kube-controller-manager'], { assetsFolder }),
      ).toEqual({
        'kube-apiserver': path.join(machine.folder, apiServerFrom, 'kube-apiserver'),
        'kube-controller-manager': path.join(machine.cacheFolder, 'kube-controller-manager'),
      });
    },
  );

  it('binaries are cached in the user’s cache folder', () => {
    const { cacheFolder, platform } = settingsFrom({ XDG_CACHE_HOME: '/caches' });
    expect(cacheFolder).toBe(
      `/caches/swarm-operator/kubernetes/${kubernetesVersion}/${platform.os}-${platform.arch}`,
    );
  });

  it('binaries in the cache need neither network nor Go', async () => {
    const kubelet = machine.script('cache/kubelet');
    expect(await machine.find(['kubelet'])).toEqual({ kubelet });
    expect(machine.output).toBe('');
  });

  it('a test uses only existing binaries: a missing one is named, and neither fetched nor built', async () => {
    expect(settingsFrom({ SWARM_BINARIES: 'present' }).mayFetch).toBe(false);
    await expect(machine.find(['helm'], { mayFetch: false, go: machine.fakeGo() })).rejects.toThrow(
      `helm: not in ${machine.cacheFolder}, and SWARM_BINARIES=present forbids`,
    );
    expect(machine.built()).toEqual([]);
  });
});

describe('go build', () => {
  it('Go builds at once what could not be downloaded, and shows the progress', async () => {
    const kubectl = released('kubectl');
    const script = '#!/bin/sh\necho kubectl\n';
    const server = createServer(({ url }, response) => {
      response.writeHead(url === pathOf(kubectl.url) ? 200 : 404).end(script);
    });
    const url = `http://127.0.0.1:${await machine.listen(server)}`;
    const found = await machine.find(['kubectl', 'etcd', 'kube-scheduler'], {
      download: machine.download(url, { [kubectl.url]: sha256(script) }),
      go: machine.fakeGo(),
    });
    expect(execFileSync(found.etcd, { encoding: 'utf8' }).trim()).toBe(releases.etcd.goPackage);
    expect(machine.built()).toEqual([
      releases.etcd.goPackage,
      releases['kube-scheduler'].goPackage,
    ]);
    expect(machine.cached()).toEqual(['etcd', 'kube-scheduler', 'kubectl']);
    expect(machine.output).toMatch(
      /^building etcd v[\d.]+, kube-scheduler v[\d.]+ with Go: done after \d+ s$/m,
    );
  });

  it('Go builds programs of different modules one after the other', async () => {
    await machine.find(['helm', 'ctr', 'kubelet', 'kubectl'], { go: machine.fakeGo() });
    expect(machine.output.match(/^building .* with Go …$/gm)).toHaveLength(4);
  });

  it('Go builds a binary once when several processes need it', async () => {
    const go = machine.fakeGo();
    await Promise.all([1, 2, 3].map(() => machine.find(['kubectl', 'etcd'], { go })));
    expect(machine.built()).toHaveLength(2);
  });

  it('a failed build shows the errors of the compiler, and leaves no partial file', async () => {
    const go = machine.fakeGo({ error: 'undefined: Foo' });
    await expect(machine.find(['kubectl'], { go })).rejects.toThrow('undefined: Foo');
    expect(machine.cached()).toEqual([]);
  });
});

describe('a program of this repository', () => {
  it('a program of this repository is built without a download, and again when its source has changed', async () => {
    machine.script('cache/bind');
    machine.script('cache/bind-0123456789ab');
    const { bind } = await machine.find(['bind'], { go: machine.fakeGo() });
    expect(bind).toBe(path.join(machine.cacheFolder, fileOf('bind')));
    expect(machine.built()).toEqual(['.']);
    expect(machine.output).toMatch(
      /^building bind of tools\/bind with Go …\n.*: done after \d+ s\n$/,
    );
  });

  it('a program of this repository says in one sentence why it cannot be built', async () => {
    await expect(
      machine.find(['bind'], { go: machine.fakeGo({ version: 'go1.25.1' }) }),
    ).rejects.toThrow(
      /^tools\/bind cannot be built: Go is go1\.25\.1; required is 1\.26 or newer$/,
    );
  });
});

it('the error for missing binaries names all four ways and why each has failed', async () => {
  const assetsFolder = path.join(machine.folder, 'assets');
  const { message } = await machine
    .find(['etcd', 'kubectl'], { assetsFolder, go: machine.fakeGo({ version: 'go1.25.1' }) })
    .then(
      () => new Error('it was found'),
      (error: Error) => error,
    );
  expect(message.split('\n')).toEqual([
    `Kubernetes ${kubernetesVersion} for linux-amd64: no etcd, kubectl. Provide them in one of these four ways:`,
    `- in the folder KUBEBUILDER_ASSETS (${assetsFolder} lacks etcd, kubectl)`,
    `- in the cache ${machine.cacheFolder} (not found)`,
    expect.stringMatching(/^- by download \(.*SHA256SUMS.*; .*kubectl\.sha256.*\)$/),
    '- by a build with Go (Go is go1.25.1; required is 1.26 or newer)',
  ]);
});

describe('what is pinned', () => {
  const names = Object.keys(releases).filter((name): name is BinaryName => name in releases);

  it('the pinned versions are those that the modules in tools/ build', () => {
    const goMod = (module: string): string =>
      readFileSync(path.join(import.meta.dirname, `../../../../tools/${module}/go.mod`), 'utf8');
    expect(goMod('controlplane')).toContain(`k8s.io/kubernetes ${kubernetesVersion} `);
    for (const program of ['server', 'etcdctl', 'etcdutl'])
      expect(goMod('controlplane')).toContain(`go.etcd.io/etcd/${program}/v3 ${etcdVersion} `);
    expect(goMod('node')).toContain(`github.com/containerd/containerd/v2 ${containerdVersion} `);
    expect(goMod('helm')).toContain(`helm.sh/helm/v4 ${helmVersion} `);
    const foreign = Object.values(releases).filter(({ publisher }) => publisher !== 'project');
    for (const { goPackage, module } of foreign)
      expect(goMod(module)).toMatch(new RegExp(`^(?:tool |\\t)${goPackage}$`, 'm'));
  });

  it('the pinned checksums are of released files of these versions, and for both processors', () => {
    const [amd64, arm64] = ['amd64', 'arm64'].map((arch) =>
      names.flatMap((name) => releasedFileOf(name, arch)?.url ?? []),
    );
    const files = [...(amd64 ?? []), ...(arm64 ?? [])];
    expect(Object.keys(checksums).filter((url) => !files.includes(url))).toEqual([]);
    expect(Object.values(checksums).filter((sum) => !/^[0-9a-f]{64}$/.test(sum))).toEqual([]);
    const pinned = (urls: readonly string[] = []): boolean[] =>
      urls.map((url) => checksums[url] !== undefined);
    expect(pinned(amd64)).toEqual(pinned(arm64));
  });

  it('the pinned checksums are those that have a second source', () => {
    const pinned = names.filter((name) => checksums[releasedFileOf(name, 'amd64')?.url ?? '']);
    expect(pinned).toEqual([
      'etcd',
      'etcdctl',
      'etcdutl',
      'kubectl',
      'kubelet',
      'containerd',
      'containerd-shim-runc-v2',
      'ctr',
    ]);
  });
});
