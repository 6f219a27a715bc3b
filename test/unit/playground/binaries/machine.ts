// A machine of a test: its cache folder, a go command that only says what it would build, servers.
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
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BinarySettings, findBinaries } from '../../../../src/playground/binaries/binaries.ts';
import { releasedFileOf } from '../../../../src/playground/binaries/publishers.ts';
import type { BinaryName } from '../../../../src/playground/binaries/releases.ts';

export const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');

export class Machine {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'binaries-test-'));
  readonly cacheFolder = path.join(this.folder, 'cache');
  readonly #servers: Server[] = [];
  readonly #sockets: Socket[] = [];
  output = '';

  end(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    rmSync(this.folder, { recursive: true });
  }

  /** Nothing is there; a mirror that refuses connections stands for no way to the internet. */
  settings(overrides: Partial<BinarySettings> = {}): BinarySettings {
    return {
      assetsFolder: undefined,
      cacheFolder: this.cacheFolder,
      platform: { os: 'linux', arch: 'amd64' },
      download: this.download('http://127.0.0.1:9'),
      go: path.join(this.folder, 'no-such-go'),
      mayFetch: true,
      output: {
        write: (text) => {
          this.output += text;
        },
      },
      ...overrides,
    };
  }

  download(mirror: string, checksums: Readonly<Record<string, string>> = {}) {
    return {
      mirror,
      checksums,
      connectTimeoutMilliseconds: 60_000,
      pausesMilliseconds: [1, 1, 1],
    };
  }

  find<N extends BinaryName>(names: readonly N[], overrides: Partial<BinarySettings> = {}) {
    return findBinaries(names, this.settings(overrides));
  }

  async listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => this.#sockets.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address: string | AddressInfo | null = server.address();
    if (address === null || typeof address === 'string') throw new Error('not a port');
    return address.port;
  }

  cached(): string[] {
    return existsSync(this.cacheFolder) ? readdirSync(this.cacheFolder).sort() : [];
  }

  script(file: string, ...lines: string[]): string {
    const at = path.resolve(this.folder, file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, ['#!/bin/sh', ...lines, ''].join('\n'));
    chmodSync(at, 0o755);
    return at;
  }

  /** It builds scripts that say of which package they are, or fails with the compiler's error. */
  fakeGo({ version = 'go1.26.8', error = '' } = {}): string {
    const modules = path.join(this.folder, 'modules');
    for (const file of [
      'k8s.io/kubernetes/pkg/kubelet/eviction/manager.go',
      'k8s.io/kubernetes/pkg/scheduler/backend/queue/testing.go',
      'k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_test_context.go',
    ])
      this.script(path.join(modules, file));
    return this.script(
      'go',
      'case $1 in',
      `env) echo ${version}; exit ;;`,
      'mod) [ $2 = edit ] && exit; shift 3',
      `  for module; do printf '{ "Path": "%s", "Dir": "%s" }\\n' $module ${modules}/$module; done; exit ;;`,
      'list) for each; do case $each in */*) echo "$each"; esac; done; exit ;;',
      'esac',
      error === '' ? '' : `echo '${error}' >&2; exit 1`,
      'while [ "$1" != -o ]; do shift; done',
      'folder=$2; shift 2',
      `for package; do echo "$package" >> ${this.folder}/built; echo "$package" >&2`,
      `  name=$(basename "$(echo "$package" | sed 's,/v3$,,')"); [ "$name" = . ] && name=bind`,
      '  printf "#!/bin/sh\\necho %s" "$package" > "$folder/$name"; chmod +x "$folder/$name"',
      'done',
    );
  }

  built(): string[] {
    const file = path.join(this.folder, 'built');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  /** An archive with a script for each name, as the publisher packs it. */
  archive(names: readonly BinaryName[]): Buffer {
    const members = names.map((name) => released(name).member ?? name);
    const folder = path.join(this.folder, 'packed');
    members.map((member, index) => this.script(path.join(folder, member), `echo ${names[index]}`));
    return execFileSync('tar', ['-cz', '-C', folder, ...members]);
  }
}

export function released(name: BinaryName, arch = 'amd64') {
  const file = releasedFileOf(name, arch);
  if (file === undefined) throw new Error(`${name} is not released`);
  return file;
}

/** Where a mirror has it. */
export const pathOf = (url: string): string => url.replace('https:/', '');
