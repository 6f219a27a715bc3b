// What is seen of the operator from outside while it is attacked: by its kubelet, by the Lease, by
// the kernel, and by what it logs.
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { kinds } from '../../src/api/kinds.ts';
import { asNumber, asString, dig } from '../../src/api/objects.ts';
import type { OperatorProcess } from '../../src/playground/operator-process.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Watcher } from '../../src/runtime/watch/watcher.ts';
import type { GaugeLine } from './gauge.ts';

/** As deploy/ has the liveness probe. */
const PROBE_TIMEOUT_MS = 3_000;
/** More often than a kubelet, so that the same is known sooner. */
const PROBE_MS = 1_000;

export type Held = { readonly at: number; readonly workedMs: number; readonly heldMs: number };

export class OperatorWitness {
  readonly leaders = new Set<string>();
  /** In a row, at most. */
  failedProbes = 0;
  slowestProbeMs = 0;
  /** When, and what became of it. */
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

  /** The most that it ever held, as a container's limit counts it. */
  peakMiB(): number {
    try {
      const kib = /VmHWM:\s+(\d+)/.exec(
        readFileSync(`/proc/${this.#operator.pid}/status`, 'utf8'),
      )?.[1];
      this.#peakMiB = Math.max(this.#peakMiB, Number(kib ?? 0) / 1024);
    } catch {
      // It has ended: what was seen last counts.
    }
    return this.#peakMiB;
  }

  heapMiB(): number {
    return this.#gauge().reduce((most, { heapMiB = 0 }) => Math.max(most, heapMiB), 0);
  }

  /** The longest work in one go, and when, from a moment on. */
  held(since: number): readonly Held[] {
    return this.#gauge()
      .flatMap(({ at, workedMs, heldMs }) =>
        workedMs === undefined || heldMs === undefined || at < since
          ? []
          : [{ at, workedMs, heldMs }],
      )
      .sort((a, b) => b.workedMs - a.workedMs);
  }

  /** Part of the time that went into work in one go of more than 50 ms. */
  heldPart(since: number, until: number): number {
    return (
      this.held(since).reduce((sum, { at, workedMs }) => (at <= until ? sum + workedMs : sum), 0) /
      (until - since)
    );
  }

  /** What it says against itself: errors, and whatever Node itself has printed. */
  complaints(): readonly string[] {
    return readFileSync(this.#operator.logFile, 'utf8')
      .split('\n')
      .filter(
        (line) =>
          line !== '' &&
          (!line.startsWith('{') || /"level":"error"|mistake in the operator/.test(line)),
      );
  }

  /** Not leading any more, even for a moment. */
  steppedDown(): boolean {
    return readFileSync(this.#operator.logFile, 'utf8').includes('"not leading any more"');
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

/** On a connection of its own, as a kubelet asks. */
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
