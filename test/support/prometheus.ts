// A real Prometheus: where is it here, and how is it started, ended, asked and given older data?
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dump } from 'js-yaml';
import { request } from 'undici';
import { asList, asString, dig } from '../../src/api/objects.ts';
import type { Guard } from '../../src/playground/processes/guard.ts';
import { claimPorts, type PortClaim } from '../../src/playground/processes/ports.ts';
import { eventually } from './processes.ts';

export type Programs = { readonly prometheus: string; readonly promtool: string };

/** Undefined: none is to be had here, as the script of the suite has said. */
export const programs: Programs | undefined = programsIn(process.env['SWARM_PROMETHEUS'] ?? '');

function programsIn(folder: string): Programs | undefined {
  return folder === ''
    ? undefined
    : { prometheus: path.join(folder, 'prometheus'), promtool: path.join(folder, 'promtool') };
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
  #programs: Programs | undefined;
  #guard: Guard | undefined;
  #child: ChildProcess | undefined;
  #claim: PortClaim | undefined;

  constructor(jobs: readonly Job[], rules: object = { groups: [] }) {
    this.#jobs = jobs;
    this.#rules = rules;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#claim?.first}`;
  }

  async start(programs: Programs, guard: Guard): Promise<void> {
    this.#programs = programs;
    this.#guard = guard;
    this.#claim = await claimPorts(1);
    guard.watchFolder(this.#folder);
    writeFileSync(path.join(this.#folder, 'rules.yaml'), dump(this.#rules));
    writeFileSync(path.join(this.#folder, 'prometheus.yaml'), dump(this.#configuration()));
    this.aim();
    await this.startAgain();
  }

  /** At the same address, with the data that it has. */
  async startAgain(): Promise<void> {
    const args = [
      `--config.file=${this.#folder}/prometheus.yaml`,
      `--storage.tsdb.path=${this.#data}`,
      `--web.listen-address=127.0.0.1:${this.#claim?.first}`,
      '--log.level=error',
    ];
    this.#child = spawn(this.#programs?.prometheus ?? '', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    });
    if (this.#child.pid !== undefined) this.#guard?.watchProcess(this.#child.pid);
    await eventually('Prometheus is ready', () => this.#isReady());
  }

  /** It keeps its data and its port. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
    this.#guard?.forgetProcess(child.pid);
  }

  /** While it is ended: these samples, in the format of OpenMetrics, are all that it has. */
  restore(samples: string): void {
    const file = path.join(this.#folder, 'samples.txt');
    writeFileSync(file, samples);
    rmSync(this.#data, { recursive: true, force: true });
    const args = ['tsdb', 'create-blocks-from', 'openmetrics', file, this.#data];
    const { status, stderr } = spawnSync(this.#programs?.promtool ?? '', args, {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`promtool has made no data: ${stderr}`);
  }

  get #data(): string {
    return path.join(this.#folder, 'data');
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
      const { statusCode, body } = await request(`${this.url}/-/ready`);
      await body.dump();
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  async ask(what: string): Promise<unknown> {
    const { body } = await request(`${this.url}/api/v1/${what}`);
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

  async stop(): Promise<void> {
    await this.end();
    await this.#claim?.release();
    rmSync(this.#folder, { recursive: true, force: true });
    this.#guard?.forgetFolder(this.#folder);
  }
}
