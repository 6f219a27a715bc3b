// How does the operator look from outside during the attack? Seen by its kubelet, the Lease, the
// kernel, and its log.
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { kinds } from '../../src/api/kinds.ts';
import { asNumber, asString, dig } from '../../src/api/objects.ts';
import type { OperatorProcess } from '../../src/playground/operator-process.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Watcher } from '../../src/runtime/watch/watcher.ts';
import type { GaugeLine } from './thread-gauge.ts';

/** Like the liveness probe in deploy/. */
const PROBE_TIMEOUT_MS = 3_000;
/** More often than a kubelet, to find failures sooner. */
const PROBE_MS = 1_000;

export type Held = { readonly at: number; readonly workedMs: number; readonly heldMs: number };

export class OperatorWitness {
  readonly leaders = new Set<string>();
  /** In a row, at most. */
  failedProbes = 0;
  slowestProbeMs = 0;
  /** When, and with which result. */
  readonly failures: string[] = [];
  readonly #operator: OperatorProcess;
  readonly #gaugeFile: string;
  readonly #ending = new AbortController();
  #failing = 0;
  #probing: Promise<void> = Promise.resolve();
  #peakMiB = 0;

  constructor(operator: OperatorProcess, gaugeFile: string) {
    this.#operator = operator;
    this.#gaugeFile = gaugeFile;
  }

  async watch(api: KubeClient): Promise<void> {
    const { signal } = this.#ending;
    const leases = new Watcher(
      api,
      { kind: kinds.Lease, namespace: 'swarm-operator' },
      { clock: systemClock },
      ({ object }) => {
        const holder = asString(dig(object, 'spec', 'holderIdentity')) ?? '';
        this.leaders.add(
          `${holder || 'nobody'}, term ${asNumber(dig(object, 'spec', 'leaseTransitions')) ?? 0}`,
        );
      },
    );
    void leases.run(signal);
    await leases.synced;
    this.#probing = this.#probe();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#probing;
  }

  /** The most memory that it ever held, as a container's limit counts it. */
  peakMiB(): number {
    try {
      const kib = /VmHWM:\s+(\d+)/.exec(
        readFileSync(`/proc/${this.#operator.pid}/status`, 'utf8'),
      )?.[1];
      this.#peakMiB = Math.max(this.#peakMiB, Number(kib ?? 0) / 1024);
    } catch {
      // The process has ended: the last value counts.
    }
    return this.#peakMiB;
  }

  heapMiB(): number {
    return this.#gauge().reduce((most, { heapMiB = 0 }) => Math.max(most, heapMiB), 0);
  }

  /** The longest work without a pause, and when, from a moment on. */
  held(since: number): readonly Held[] {
    return this.#gauge()
      .flatMap(({ at, workedMs, heldMs }) =>
        workedMs === undefined || heldMs === undefined || at < since
          ? []
          : [{ at, workedMs, heldMs }],
      )
      .sort((a, b) => b.workedMs - a.workedMs);
  }

  /** The share of time in pieces of work longer than 50 ms. */
  heldPart(since: number, until: number): number {
    return (
      this.held(since).reduce((sum, { at, workedMs }) => (at <= until ? sum + workedMs : sum), 0) /
      (until - since)
    );
  }

  /** Errors in its log, and whatever Node itself has printed. */
  complaints(): readonly string[] {
    return readFileSync(this.#operator.logFile, 'utf8')
      .split('\n')
      .filter(
        (line) =>
          line !== '' &&
          (!line.startsWith('{') || /"level":"error"|mistake in the operator/.test(line)),
      );
  }

  /** True if it lost leadership, even for a moment. */
  steppedDown(): boolean {
    return readFileSync(this.#operator.logFile, 'utf8').includes('"no longer leading"');
  }

  #gauge(): readonly GaugeLine[] {
    const lines = readFileSync(this.#gaugeFile, 'utf8').split('\n');
    return lines.flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as GaugeLine] : []));
  }

  async #probe(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const started = performance.now();
      const problem = await problemOf(this.#operator.healthPort);
      const tookMs = performance.now() - started;
      this.slowestProbeMs = Math.max(this.slowestProbeMs, tookMs);
      this.#failing = problem === undefined ? 0 : this.#failing + 1;
      if (problem !== undefined) this.failures.push(`${new Date().toISOString()} ${problem}`);
      this.failedProbes = Math.max(this.failedProbes, this.#failing);
      this.peakMiB();
      if (!this.#operator.hasEnded)
        await new Promise((resolve) => setTimeout(resolve, Math.max(50, PROBE_MS - tookMs)));
      else return;
    }
  }
}

/** On a new connection, like a kubelet. */
function problemOf(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const question = get({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        resolve(answer.statusCode === 200 ? undefined : `status ${answer.statusCode}`),
      );
      answer.on('error', (error) => resolve(error.message));
    });
    question.setTimeout(PROBE_TIMEOUT_MS, () => question.destroy(new Error('no answer in time')));
    question.on('error', (error) => resolve(error.message));
    question.on('close', () => resolve('closed without an answer'));
  });
}
