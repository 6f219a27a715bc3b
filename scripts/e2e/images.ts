// How are the images of the Dockerfile built without access to an image registry? On a base made
// from Debian's packages and this Node.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { asString, dig } from '../../src/api/objects.ts';
import { root } from '../run.ts';
import { apart } from './enclosure.ts';

/** Archives that containerd imports, under the names that manifests use. */
export const archives = {
  operator: 'swarm-operator.tar',
  /** The same operator as another build, to test an upgrade. */
  upgrade: 'swarm-operator-next.tar',
  worker: 'swarm-worker.tar',
  pause: 'pause.tar',
  etcd: 'etcd.tar',
  /** A shell and Python, for gangs, with the libraries of the stand-in for flux. */
  python: 'python.tar',
  /** Open MPI, MPICH and sshd, with programs for them. */
  hpc: 'hpc.tar',
} as const;

/** A folder beside the archives: Debian's ffmpeg with its libraries, which stories mount. */
export const FFMPEG = 'ffmpeg';

export const buildOf = { operator: 'first', upgrade: 'next' } as const;

const suite = 'bookworm';
const bases = { run: 'localhost/run-base:e2e', build: 'localhost/build-base:e2e' };
const authorities = '/etc/ssl/certs/ca-certificates.crt';

type Programs = Readonly<Record<string, string>>;

/**
 * Prints the duration of each step; an image that the folder already has is not built again.
 * `etcd`: the files of its programs.
 */
export function buildImages(folder: string, work: string, etcd: Programs): void {
  const made = [...Object.values(archives), FFMPEG];
  if (made.every((name) => existsSync(path.join(folder, name)))) return;
  mkdirSync(folder, { recursive: true });
  const shop = new Shop(work, folder);
  const steps: readonly (readonly [what: string, make: () => void])[] = [
    ['the base images', () => shop.bases()],
    [
      'swarm-operator',
      () => shop.service('controller', 'swarm-operator', buildOf.operator, archives.operator),
    ],
    [
      'swarm-worker',
      () => shop.service('worker', 'swarm-worker', buildOf.operator, archives.worker),
    ],
    ['another build of swarm-operator', () => shop.upgrade()],
    ['the process that holds a pod', () => shop.pause()],
    ['etcd', () => shop.etcd(etcd)],
    ['python', () => shop.python()],
    ['programs for MPI', () => shop.hpc()],
    ['ffmpeg', () => shop.ffmpeg()],
  ];
  for (const [what, make] of steps) {
    const start = performance.now();
    make();
    console.log(`  ${what}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  shop.close();
}

class Shop {
  readonly #work: string;
  readonly #out: string;
  readonly #store: readonly string[];

  constructor(work: string, out: string) {
    this.#work = path.join(work, 'shop');
    this.#out = out;
    mkdirSync(this.#work, { recursive: true });
    this.#store = [
      '--storage-driver',
      'overlay',
      '--root',
      path.join(this.#work, 'store'),
      '--runroot',
      path.join(this.#work, 'run'),
    ];
  }

  /**
   * The runtime base has the C++ library that Node needs, and Node: no shell, no package manager.
   * The build base also has npm.
   */
  bases(): void {
    const node = realpathSync(`${root}node_modules/.bin/node`);
    const run = this.#context(
      'run-base',
      'FROM scratch\nADD rootfs.tar /\nCOPY node /usr/local/bin/node\n',
    );
    this.#debian(path.join(run, 'rootfs.tar'), 'extract', 'libstdc++6');
    const build = this.#context(
      'build-base',
      'FROM scratch\nADD rootfs.tar /\nCOPY node /usr/local/bin/node\nCOPY npm /usr/local/lib/node_modules/npm\n' +
        'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm\n',
    );
    this.#debian(path.join(build, 'rootfs.tar'), 'essential', 'libstdc++6,tini');
    for (const context of [run, build]) copyFileSync(node, path.join(context, 'node'));
    cpSync(npmFolder(), path.join(build, 'npm'), { recursive: true });
    this.#bud(bases.run, run);
    this.#bud(bases.build, build);
  }

  service(service: 'controller' | 'worker', name: string, commit: string, archive: string): void {
    const args = {
      SERVICE: service,
      COMMIT: commit,
      DATE: new Date().toISOString(),
      BASE_IMAGE: bases.run,
      BUILD_IMAGE: bases.build,
    };
    const given = Object.entries(args).flatMap(([key, value]) => [
      '--build-arg',
      `${key}=${value}`,
    ]);
    // The machine's own npm configuration, and never a part of the image.
    const npmrc = path.join(this.#work, 'npmrc');
    const own = [
      process.env['npm_config_userconfig'],
      path.join(process.env['HOME'] ?? '', '.npmrc'),
    ].find((file) => file && existsSync(file));
    const isCertified = existsSync(authorities);
    writeFileSync(
      npmrc,
      `${own === undefined ? '' : readFileSync(own, 'utf8')}\n${isCertified ? 'cafile=/run/secrets/ca\n' : ''}`,
      {
        mode: 0o600,
      },
    );
    const secrets = [
      '--secret',
      `id=npmrc,src=${npmrc}`,
      ...(isCertified ? ['--secret', `id=ca,src=${authorities}`] : []),
    ];
    this.#bud(`${name}:dev`, root, '--layers', ...given, ...secrets);
    this.#push(`${name}:dev`, archive);
  }

  upgrade(): void {
    const context = this.#context(
      'upgrade',
      `FROM localhost/swarm-operator:dev\nENV SWARM_BUILD_COMMIT=${buildOf.upgrade}\n`,
    );
    this.#bud('swarm-operator:next', context);
    this.#push('swarm-operator:next', archives.upgrade);
  }

  pause(): void {
    const context = this.#context(
      'pause',
      'FROM scratch\nCOPY pause /pause\nENTRYPOINT ["/pause"]\n',
    );
    execFileSync(
      'go',
      [
        'build',
        '-buildvcs=false',
        '-trimpath',
        '-ldflags=-s -w',
        '-o',
        path.join(context, 'pause'),
        '.',
      ],
      {
        cwd: `${root}tools/pause`,
        env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
      },
    );
    this.#bud('pause:e2e', context);
    this.#push('pause:e2e', archives.pause);
  }

  /** In place of the public image that the sample names. */
  etcd(programs: Programs): void {
    const names = Object.keys(programs);
    const context = this.#context(
      'etcd',
      `FROM scratch\nCOPY ${names.join(' ')} /usr/local/bin/\n`,
    );
    for (const [name, file] of Object.entries(programs))
      copyFileSync(file, path.join(context, name));
    this.#bud('etcd:e2e', context);
    this.#push('etcd:e2e', archives.etcd, imageIn('samples/etcd/job.yaml'));
  }

  python(): void {
    const packages = 'python3,python3-zmq,python3-clustershell';
    this.#debianImage('python', packages, archives.python, 'samples/rendezvous/job.yaml');
  }

  hpc(): void {
    const packages = 'lammps,mpich,python3-mpi4py,parallel,openssh-server,openssh-client';
    this.#debianImage('hpc', packages, archives.hpc, 'samples/mpi/mpi4py.yaml');
  }

  /** In place of the public image that the sample names. */
  #debianImage(name: string, packages: string, archive: string, sample: string): void {
    const context = this.#context(name, 'FROM scratch\nADD rootfs.tar /\n');
    const user = '--customize-hook=echo "sim:x:1000:1000::/tmp:/bin/sh" >>"$1/etc/passwd"';
    this.#debian(path.join(context, 'rootfs.tar'), 'essential', packages, user);
    this.#bud(`${name}:e2e`, context);
    const image = imageIn(sample);
    const isBare = !image.split('/')[0]?.includes('.');
    this.#push(`${name}:e2e`, archive, isBare ? `docker.io/library/${image}` : image);
  }

  ffmpeg(): void {
    this.#debian(path.join(this.#out, FFMPEG), 'extract', 'ffmpeg');
  }

  close(): void {
    rmSync(this.#work, { recursive: true, force: true });
  }

  #context(name: string, dockerfile: string): string {
    const folder = path.join(this.#work, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'Dockerfile'), dockerfile);
    return folder;
  }

  /** As an archive, if its name ends like that; else as a folder. */
  #debian(
    target: string,
    variant: 'extract' | 'essential',
    packages: string,
    ...hooks: readonly string[]
  ): void {
    this.#run(
      'mmdebstrap',
      '--mode=root',
      `--variant=${variant}`,
      `--include=${packages}`,
      ...hooks,
      suite,
      target,
    );
  }

  #bud(tag: string, context: string, ...extra: readonly string[]): void {
    this.#run(
      'buildah',
      ...this.#store,
      'bud',
      '--isolation',
      'chroot',
      ...extra,
      '--tag',
      tag.includes('/') ? tag : `localhost/${tag}`,
      context,
    );
  }

  /** `name`: under which pods know it. */
  #push(tag: string, archive: string, name = `docker.io/library/${tag}`): void {
    const target = `docker-archive:${path.join(this.#out, archive)}:${name}`;
    this.#run('buildah', ...this.#store, 'push', `localhost/${tag}`, target);
  }

  /** Quiet, unless it fails. */
  #run(command: string, ...args: readonly string[]): void {
    try {
      const [first = '', ...rest] = apart([], [command, ...args]);
      execFileSync(first, rest, { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 });
    } catch (error) {
      const said =
        typeof error === 'object' && error !== null && 'stderr' in error
          ? String(error.stderr)
          : String(error);
      throw new Error(`${command} ${args.slice(0, 8).join(' ')} … failed:\n${said.slice(-4000)}`);
    }
  }
}

const imageIn = (job: string): string =>
  asString(dig(load(readFileSync(`${root}${job}`, 'utf8')), 'spec', 'image')) ?? '';

/** The npm that started this process, or the one on the PATH. */
function npmFolder(): string {
  const onPath = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'npm'));
  const programs = [process.env['npm_execpath'], ...onPath].flatMap((file) =>
    file && existsSync(file) ? [realpathSync(file)] : [],
  );
  const found = programs.find((file) => file.endsWith('npm/bin/npm-cli.js'));
  if (found === undefined) throw new Error('npm was not found: the build image needs it');
  return path.resolve(found, '../..');
}

export const sizeOf = (file: string): string => `${(statSync(file).size / 1e6).toFixed(0)} MB`;
