// The four ways to Kubernetes binaries, in their order, against a local release server and a go
// command of our own.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BinarySettings,
  findBinaries,
  settingsFrom,
} from '../../../src/playground/binaries/binaries.ts';
import { checksums } from '../../../src/playground/binaries/checksums.ts';
import { releaseFileOf } from '../../../src/playground/binaries/download.ts';
import {
  type BinaryName,
  containerdVersion,
  etcdVersion,
  fileOf,
  helmVersion,
  kubernetesVersion,
  releases,
} from '../../../src/playground/binaries/releases.ts';

const closedUrl = 'http://127.0.0.1:9';

let folder: string;
let output: string;
let servers: Server[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'binaries-test-'));
  output = '';
  servers = [];
});

afterEach(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

function settings(overrides: Partial<BinarySettings> = {}): BinarySettings {
  return {
    assetsFolder: undefined,
    cacheFolder: path.join(folder, 'cache'),
    platform: { os: 'linux', arch: 'amd64' },
    download: {
      kubernetesUrl: closedUrl,
      etcdUrl: closedUrl,
      checksums: {},
      connectTimeoutMilliseconds: 60_000,
    },
    go: path.join(folder, 'no-such-go'),
    output: {
      write: (text) => {
        output += text;
      },
    },
    ...overrides,
  };
}

function script(file: string, ...lines: string[]): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(file, 0o755);
  return file;
}

/** Answers `go env` with a version, and builds scripts that say of which package they are. */
function fakeGo(version = 'go1.26.8'): string {
  return script(
    path.join(folder, 'go'),
    `if [ "$1" = env ]; then echo ${version}; exit; fi`,
    'while [ "$1" != -o ]; do shift; done',
    `echo "$3" >> ${folder}/built`,
    'printf "#!/bin/sh\\necho %s" "$3" > "$2"; chmod +x "$2"',
  );
}

function built(): string[] {
  const file = path.join(folder, 'built');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function cached(): string[] {
  return readdirSync(path.join(folder, 'cache')).sort();
}

/** Each file with the checksum that is pinned for it. */
async function serve(released: readonly Released[]): Promise<BinarySettings['download']> {
  const files = new Map(released.map(({ file, content }) => [`/${file}`, content]));
  const server = createHttpServer((request, response) => {
    const content = files.get(request.url ?? '');
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const checksums = Object.fromEntries(released.map(({ file, checksum }) => [file, checksum]));
  return { kubernetesUrl: url, etcdUrl: url, checksums, connectTimeoutMilliseconds: 60_000 };
}

type Released = {
  readonly file: string;
  readonly content: string | Buffer;
  readonly checksum: string;
};

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: string | AddressInfo | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a port');
  return address.port;
}

const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');

const kubectlRelease = (content: string, checksum = sha256(content)): Released => ({
  file: `${kubernetesVersion}/bin/linux/amd64/kubectl`,
  content,
  checksum,
});

function etcdRelease(): Released {
  const name = `etcd-${etcdVersion}-linux-amd64`;
  script(path.join(folder, name, 'etcd'), 'echo etcd');
  script(path.join(folder, name, 'etcdutl'), 'echo etcdutl');
  const archive = path.join(folder, `${name}.tar.gz`);
  execFileSync('tar', ['-czf', archive, '-C', folder, name]);
  const content = readFileSync(archive);
  return { file: `${etcdVersion}/${name}.tar.gz`, content, checksum: sha256(content) };
}

describe('binaries that exist', () => {
  it('are taken from KUBEBUILDER_ASSETS when it has all of them', async () => {
    const assetsFolder = path.join(folder, 'assets');
    script(path.join(assetsFolder, 'etcd'));
    script(path.join(assetsFolder, 'kubectl'));
    expect(await findBinaries(['etcd', 'kubectl'], settings({ assetsFolder }))).toEqual({
      etcd: path.join(assetsFolder, 'etcd'),
      kubectl: path.join(assetsFolder, 'kubectl'),
    });
    expect(output).toBe('');
  });

  it.each([
    { what: 'the same minor version', version: 'v1.36.0', apiServerFrom: 'assets' },
    { what: 'another minor version', version: 'v1.35.2', apiServerFrom: 'cache' },
  ])(
    'goes on for what is missing there: an API server of $what comes from the $apiServerFrom',
    async ({ version, apiServerFrom }) => {
      const assetsFolder = path.join(folder, 'assets');
      script(path.join(assetsFolder, 'kube-apiserver'), `echo Kubernetes ${version}`);
      for (const name of ['kube-apiserver', 'kube-controller-manager'])
        script(path.join(folder, 'cache', name));
      expect(
        await findBinaries(
          ['kube-apiserver', 'kube-controller-manager'],
          settings({ assetsFolder }),
        ),
      ).toEqual({
        'kube-apiserver': path.join(folder, apiServerFrom, 'kube-apiserver'),
        'kube-controller-manager': path.join(folder, 'cache', 'kube-controller-manager'),
      });
    },
  );

  it('are cached in the user’s cache folder', () => {
    const { cacheFolder, platform } = settingsFrom({ XDG_CACHE_HOME: '/caches' });
    expect(cacheFolder).toBe(
      `/caches/swarm-operator/kubernetes/${kubernetesVersion}/${platform.os}-${platform.arch}`,
    );
  });

  it('need neither network nor Go when they are in the cache', async () => {
    const file = script(path.join(folder, 'cache', 'kubelet'));
    expect(await findBinaries(['kubelet'], settings())).toEqual({ kubelet: file });
    expect(output).toBe('');
  });
});

describe('the download', () => {
  it('keeps a file with the pinned checksum, and leaves nothing else', async () => {
    const download = await serve([kubectlRelease('#!/bin/sh\necho kubectl\n'), etcdRelease()]);
    const found = await findBinaries(['kubectl', 'etcd', 'etcdutl'], settings({ download }));
    expect(execFileSync(found.kubectl, { encoding: 'utf8' })).toBe('kubectl\n');
    expect(execFileSync(found.etcd, { encoding: 'utf8' })).toBe('etcd\n');
    expect(execFileSync(found.etcdutl, { encoding: 'utf8' })).toBe('etcdutl\n');
    expect(cached()).toEqual(['etcd', 'etcdutl', 'kubectl']);
  });

  it('refuses a file with another checksum, and reports it', async () => {
    const download = await serve([kubectlRelease('forged', sha256('released'))]);
    await expect(findBinaries(['kubectl'], settings({ download }))).rejects.toThrow(
      `was refused: its SHA-256 is ${sha256('forged')}, pinned is ${sha256('released')}`,
    );
    expect(cached()).toEqual([]);
  });

  it('makes no request without a pinned checksum of this version and processor', async () => {
    const released = kubectlRelease('#!/bin/sh\necho kubectl\n');
    const download = await serve([released]);
    const others = [
      {},
      { [released.file.replace('amd64', 'arm64')]: released.checksum },
      { [`old/${released.file}`]: released.checksum },
    ];
    for (const checksums of others) {
      await expect(
        findBinaries(['kubectl'], settings({ download: { ...download, checksums } })),
      ).rejects.toThrow(
        'they can be downloaded (no checksum is pinned of kubectl for linux-amd64)',
      );
    }
    expect(cached()).toEqual([]);
  });

  it('is not tried on a system without released server binaries', async () => {
    await findBinaries(
      ['kubectl'],
      settings({ platform: { os: 'darwin', arch: 'arm64' }, go: fakeGo() }),
    );
    expect(output).toContain('released for linux only, not for darwin');
    expect(built()).toEqual([releases.kubectl.goPackage]);
  });

  it('gives up on a server that accepts the connection and does not answer', async () => {
    const silent = await listen(createServer(() => undefined));
    const url = `https://127.0.0.1:${silent}`;
    const { file, checksum } = kubectlRelease('kubectl');
    const download = {
      kubernetesUrl: url,
      etcdUrl: url,
      checksums: { [file]: checksum },
      connectTimeoutMilliseconds: 300,
    };
    await expect(findBinaries(['kubectl'], settings({ download }))).rejects.toThrow(/Timeout/i);
  });
});

describe('go build', () => {
  it('builds only what could not be downloaded', async () => {
    const download = await serve([kubectlRelease('#!/bin/sh\necho kubectl\n')]);
    const found = await findBinaries(
      ['kubectl', 'etcd', 'kube-scheduler'],
      settings({ download, go: fakeGo() }),
    );
    expect(execFileSync(found.etcd, { encoding: 'utf8' }).trim()).toBe(releases.etcd.goPackage);
    expect(built()).toEqual([releases.etcd.goPackage, releases['kube-scheduler'].goPackage]);
    expect(cached()).toEqual(['etcd', 'kube-scheduler', 'kubectl']);
    expect(output).toContain(`building etcd ${etcdVersion} with Go …`);
    expect(output).toMatch(/building kube-scheduler v[\d.]+ with Go: done after \d+ s/);
  });

  it('runs once when several processes need the same binary', async () => {
    const go = fakeGo();
    await Promise.all([1, 2, 3].map(() => findBinaries(['kubectl', 'etcd'], settings({ go }))));
    expect(built()).toHaveLength(2);
  });

  it('shows errors of the compiler, and leaves no partial file', async () => {
    const go = script(
      path.join(folder, 'go'),
      'if [ "$1" = env ]; then echo go1.26.8; exit; fi',
      'echo "undefined: Foo" >&2; exit 1',
    );
    await expect(findBinaries(['kubectl'], settings({ go }))).rejects.toThrow('undefined: Foo');
    expect(cached()).toEqual([]);
  });
});

describe('a program of this repository', () => {
  it('is built without a download, and again when its source has changed', async () => {
    const cacheFolder = path.join(folder, 'cache');
    script(path.join(cacheFolder, 'bind'));
    script(path.join(cacheFolder, 'bind-0123456789ab'));
    const { bind } = await findBinaries(['bind'], settings({ go: fakeGo() }));
    expect(bind).toBe(path.join(cacheFolder, fileOf('bind')));
    expect(built()).toEqual(['.']);
    expect(output).toMatch(/^building bind of tools\/bind with Go …\n.*: done after \d+ s\n$/);
  });

  it('says in one sentence why it cannot be built', async () => {
    await expect(findBinaries(['bind'], settings({ go: fakeGo('go1.25.1') }))).rejects.toThrow(
      /^tools\/bind cannot be built: Go is go1\.25\.1, needed is 1\.26 or newer$/,
    );
  });
});

it('names all four ways and why each has failed', async () => {
  const assetsFolder = path.join(folder, 'assets');
  const checksums = { [kubectlRelease('').file]: sha256('') };
  const download = {
    kubernetesUrl: closedUrl,
    etcdUrl: closedUrl,
    checksums,
    connectTimeoutMilliseconds: 60_000,
  };
  const attempt = findBinaries(
    ['etcd', 'kubectl'],
    settings({ assetsFolder, download, go: fakeGo('go1.25.1') }),
  );
  const { message } = await attempt.then(
    () => new Error('it was found'),
    (error: Error) => error,
  );
  expect(message.split('\n')).toEqual([
    `Kubernetes ${kubernetesVersion} for linux-amd64: no etcd, kubectl. Any one of these four ways is enough:`,
    `- KUBEBUILDER_ASSETS names a folder that holds them (${assetsFolder} lacks etcd, kubectl)`,
    `- they lie in ${path.join(folder, 'cache')} (they do not)`,
    expect.stringMatching(
      /^- they can be downloaded \(no checksum is pinned of etcd for linux-amd64; .*kubectl: .*ECONNREFUSED.*\)$/,
    ),
    '- they can be built with Go (Go is go1.25.1, needed is 1.26 or newer)',
  ]);
});

it('pins the versions that the modules in tools/ build', () => {
  const goMod = (module: string): string =>
    readFileSync(path.join(import.meta.dirname, `../../../tools/${module}/go.mod`), 'utf8');
  expect(goMod('controlplane')).toContain(`k8s.io/kubernetes ${kubernetesVersion} `);
  expect(goMod('controlplane')).toContain(`go.etcd.io/etcd/server/v3 ${etcdVersion} `);
  expect(goMod('controlplane')).toContain(`go.etcd.io/etcd/etcdutl/v3 ${etcdVersion} `);
  expect(goMod('node')).toContain(`github.com/containerd/containerd/v2 ${containerdVersion} `);
  expect(goMod('helm')).toContain(`helm.sh/helm/v4 ${helmVersion} `);
  const foreign = Object.values(releases).filter(({ publisher }) => publisher !== 'project');
  for (const { goPackage, module } of foreign)
    expect(goMod(module)).toMatch(new RegExp(`^(?:tool |\\t)${goPackage}$`, 'm'));
});

it('has checksums of the pinned versions only, and for both processors', () => {
  const names = Object.keys(releases).filter((name): name is BinaryName => name in releases);
  const files = ['amd64', 'arm64'].map((arch) =>
    names.flatMap((name) => releaseFileOf(name, arch) ?? []),
  );
  expect(Object.keys(checksums).filter((file) => !files.flat().includes(file))).toEqual([]);
  expect(Object.values(checksums).filter((checksum) => !/^[0-9a-f]{64}$/.test(checksum))).toEqual(
    [],
  );
  const [amd64, arm64] = files.map(
    (of) => of.filter((file) => checksums[file] !== undefined).length,
  );
  expect(amd64).toBe(arm64);
});
