// A real Prometheus.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dump } from 'js-yaml';
import { request } from 'undici';
import { asList, asString, dig } from '../../src/api/objects.ts';
import type { Guard } from '../../src/playground/processes/guard.ts';
import { claimPorts } from '../../src/playground/processes/ports.ts';
import { eventually } from './processes.ts';

export type Programs = { readonly prometheus: string; readonly promtool: string };

/** Undefined: none is to be had here, as scripts/test-peers.ts has said. */
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
    await eventually('Prometheus is ready', () => this.#isReady());
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
