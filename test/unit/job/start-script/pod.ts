// A pod whose start script runs in the shells of this machine.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe } from '@jest/globals';
import { startScript } from '../../../../src/job/make/start-script.ts';
import { signalIfThere } from '../../../../src/playground/processes/processes.ts';
import { type Shell, shells } from '../../../support/shells.ts';

export const KUBELETS = '# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n';
export const SLEEP = '/bin/sleep';

/** Describes a pod in each shell of this machine. Each test has a folder of its own. */
export function inEachShell(tests: (pod: Pod) => void): void {
  for (const shell of shells)
    describe(`in ${shell.name}`, () => {
      const pod = new Pod(shell);
      beforeEach(() => pod.setUp());
      afterEach(() => pod.remove());
      tests(pod);
    });
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

export class Pod {
  readonly #shell: Shell;
  readonly #begun: Child[] = [];
  #dir = '';

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  /** As the kubelet mounts the files into a pod, for a gang of three. */
  setUp(): void {
    this.#dir = mkdtempSync(path.join(tmpdir(), 'swarm-start-'));
    const script = startScript
      .replaceAll('/etc/hosts', this.at('etc-hosts'))
      .replaceAll('/dev/termination-log', this.at('termination-log'))
      .replaceAll('/run/swarm', this.at('run'))
      .replaceAll('/run/sshd', this.at('run-sshd'))
      .replaceAll('/proc/', `${this.at('proc')}/`)
      .replaceAll('/usr/sbin:/sbin', this.at('sbin'))
      .replaceAll('/etc/shadow', this.at('shadow'))
      .replaceAll('/etc/swarm-keys', this.at('keys'));
    this.write('start', script);
    mkdirSync(this.at('run'));
    mkdirSync(this.at('bin'));
    this.write('size', '3');
    this.write('hosts', 'sim-0.sim\nsim-1.sim\nsim-2.sim\n');
    this.write('etc-hosts', `${KUBELETS}10.0.0.2\tsim-1.sim.hpc.svc\tsim-1\n`);
    this.write('termination-log', '');
  }

  /** Also ends what a failed test has left. */
  remove(): void {
    for (const { pid } of this.#begun.splice(0)) signalIfThere(-(pid ?? 0), 'SIGKILL');
    rmSync(this.#dir, { recursive: true, force: true });
  }

  at = (name: string): string => path.join(this.#dir, name);
  read = (name: string): string => readFileSync(this.at(name), 'utf8');
  write = (name: string, contents: string): void => writeFileSync(this.at(name), contents);
  has = (name: string): boolean => existsSync(this.at(name));

  /** Programs that tell how they were called, in place of the real ones. */
  withPrograms(programs: Readonly<Record<string, string>>): { readonly PATH: string } {
    for (const [name, script] of Object.entries(programs))
      writeFileSync(this.at(`bin/${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { PATH: `${this.at('bin')}:/usr/bin:/bin` };
  }

  /** Programs of this machine, for a rank whose PATH is the folder `bin` alone. */
  linkPrograms(names: readonly string[]): { readonly PATH: string } {
    for (const name of names) symlinkSync(`/usr/bin/${name}`, this.at(`bin/${name}`));
    return { PATH: this.at('bin') };
  }

  /** The rank gets SIGTERM right after the line of its script that ends so. */
  signalAfter(end: string): void {
    const parts = this.read('start').split(`${end}\n`);
    if (parts.length !== 2) throw new Error(`not once in the script: ${end}`);
    this.write('start', parts.join(`${end}\nkill "$$"\n`));
  }

  begin(rank: number, words: readonly string[], env: object = {}) {
    this.write('rank', String(rank));
    const { file, argv0, words: first } = this.#shell;
    const child: Child = spawn(file, [...first, this.at('start'), ...words], {
      argv0,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ...env },
      // All of its processes are one group.
      detached: true,
    });
    this.#begun.push(child);
    const said = text(child.stdout);
    const warned = text(child.stderr);
    const ended = once(child, 'exit');
    const end = async () => {
      const [code, signal] = await ended;
      return { code, signal, said: await said, warned: await warned };
    };
    return { child, end };
  }

  run = (rank: number, ...words: readonly string[]) => this.begin(rank, words).end();

  /** A rank that says when it has begun to wait. */
  async waiting(rank: number, words: readonly string[]) {
    // The script's first look at the file is the first `sleep` that it starts.
    const { PATH } = this.withPrograms({ sleep: `: >>${this.at('slept')}\nexec ${SLEEP} "$@"` });
    const begun = this.begin(rank, words, { PATH });
    await this.until('slept', begun);
    return begun;
  }

  /** The rank has written the file. */
  async until(name: string, { child, end }: Pick<ReturnType<Pod['begin']>, 'child' | 'end'>) {
    while (!this.has(name)) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the rank has ended: ${(await end()).warned}`);
      await new Promise(setImmediate);
    }
  }
}
