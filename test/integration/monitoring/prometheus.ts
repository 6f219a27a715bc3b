// A real Prometheus: finds its programs, and runs one.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { dump } from 'js-yaml';
import { request } from 'undici';
import { asList, asString, dig } from '../../../src/api/objects.ts';
import { withFileLock } from '../../../src/playground/binaries/file-lock.ts';
import type { Guard } from '../../../src/playground/processes/guard.ts';
import { claimPorts } from '../../../src/playground/processes/ports.ts';
import { eventually } from '../../support/processes.ts';

export type Programs = { readonly prometheus: string; readonly promtool: string };

const names = ['prometheus', 'promtool'] as const;

/**
 * From the PATH, or from Debian's package, unpacked into the cache: an installed package would
 * start its own server. A text says why there are none.
 */
export async function findPrometheus(): Promise<Programs | string> {
  const cache = path.join(
    process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'),
    'swarm-operator',
    'prometheus',
  );
  const found = (): Programs | undefined => {
    const folders = [
      ...(process.env['PATH'] ?? '').split(path.delimiter),
      path.join(cache, 'usr/bin'),
    ];
    const folder = folders.find((it) => names.every((name) => existsSync(path.join(it, name))));
    return folder === undefined
      ? undefined
      : { prometheus: path.join(folder, 'prometheus'), promtool: path.join(folder, 'promtool') };
  };
  const have = async (): Promise<Programs | string> =>
    found() ??
    (await unpack(cache)) ??
    found() ??
    'the Debian package prometheus holds no prometheus';
  mkdirSync(path.dirname(cache), { recursive: true });
  return found() ?? withFileLock(`${cache}.lock`, () => undefined, have);
}

/** Returns what went wrong. */
async function unpack(cache: string): Promise<string | undefined> {
  const work = mkdtempSync(`${cache}-`);
  const run = (program: string, ...args: readonly string[]): Promise<boolean> =>
    promisify(execFile)(program, args, { cwd: work, timeout: 240_000 }).then(
      () => true,
      () => false,
    );
  try {
    if (!(await run('apt-get', '--version')))
      return 'there is neither a prometheus on PATH nor apt-get to have one';
    // Without package lists, or with old ones, the first try finds no package; root may update
    // them.
    const download = (): Promise<boolean> => run('apt-get', '-qq', 'download', 'prometheus');
    if (!(await download()) && !((await run('apt-get', '-qq', 'update')) && (await download())))
      return 'apt-get cannot download the package prometheus';
    const archive = readdirSync(work).find((file) => file.endsWith('.deb')) ?? '';
    if (!(await run('dpkg-deb', '--extract', archive, 'files')))
      return `dpkg-deb cannot unpack ${archive}`;
    renameSync(path.join(work, 'files'), cache);
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export type Job = {
  readonly job: string;
  readonly honorLabels: boolean;
  readonly targets: () => readonly Target[];
};
export type Target = {
  readonly address: string;
  readonly labels?: Readonly<Record<string, string>>;
};

export class Prometheus {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'swarm-prometheus-'));
  readonly #jobs: readonly Job[];
  readonly #rules: object;
  #child: ChildProcess | undefined;
  #release: () => Promise<void> = () => Promise.resolve();
  #url = '';

  constructor(jobs: readonly Job[], rules: object) {
    this.#jobs = jobs;
    this.#rules = rules;
  }

  async start({ prometheus }: Programs, guard: Guard): Promise<void> {
    const { first, release } = await claimPorts(1);
    this.#release = release;
    this.#url = `http://127.0.0.1:${first}`;
    guard.watchFolder(this.#folder);
    writeFileSync(path.join(this.#folder, 'rules.yaml'), dump(this.#rules));
    writeFileSync(path.join(this.#folder, 'prometheus.yaml'), dump(this.#configuration()));
    this.aim();
    const args = [
      `--config.file=${this.#folder}/prometheus.yaml`,
      `--storage.tsdb.path=${this.#folder}/data`,
      `--web.listen-address=127.0.0.1:${first}`,
      '--log.level=error',
    ];
    this.#child = spawn(prometheus, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    });
    if (this.#child.pid !== undefined) guard.watchProcess(this.#child.pid);
    await eventually('Prometheus is ready', () => this.#isReady(), 60);
  }

  /** Updates the scrape targets: Prometheus watches these files itself. */
  aim(): void {
    for (const { job, targets } of this.#jobs) {
      const groups = targets().map(({ address, labels = {} }) => ({ targets: [address], labels }));
      const file = path.join(this.#folder, `${job}.targets.json`);
      writeFileSync(`${file}.new`, JSON.stringify(groups));
      renameSync(`${file}.new`, file);
    }
  }

  #configuration(): object {
    return {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: this.#jobs.map(({ job, honorLabels }) => ({
        job_name: job,
        honor_labels: honorLabels,
        file_sd_configs: [{ files: [`${job}.targets.json`], refresh_interval: '1s' }],
      })),
    };
  }

  async #isReady(): Promise<boolean> {
    try {
      const { statusCode, body } = await request(`${this.#url}/-/ready`);
      await body.dump();
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  async ask(what: string): Promise<unknown> {
    const { body } = await request(`${this.#url}/api/v1/${what}`);
    const answer: unknown = await body.json();
    if (dig(answer, 'status') !== 'success')
      throw new Error(`${what}: ${asString(dig(answer, 'error'))}`);
    return dig(answer, 'data');
  }

  /** The values of the query, by the labels of their series. */
  async query(expression: string): Promise<ReadonlyMap<string, number>> {
    const data = await this.ask(`query?query=${encodeURIComponent(expression)}`);
    const series = asList(dig(data, 'result'));
    return new Map(
      series.map((it) => [JSON.stringify(dig(it, 'metric')), Number(asList(dig(it, 'value'))[1])]),
    );
  }

  async stop(guard: Guard): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      guard.forgetProcess(child.pid);
    }
    await this.#release();
    rmSync(this.#folder, { recursive: true, force: true });
    guard.forgetFolder(this.#folder);
  }
}
