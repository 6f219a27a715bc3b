// How is a target fuzzed in a thread that may hang or run out of memory?
import { Worker } from 'node:worker_threads';
import type { Target } from '../../test/fuzz/target.ts';
import { InputSlot } from './input-slot.ts';
import type { Found, Report, Task } from './thread.ts';

/** The heap of the operator in its Deployment. */
const HEAP_MB = 256;
/** An input hangs when all threads together use so much processor time before the next input. */
const HANGS_AFTER_CPU_MS = 120_000;
/**
 * An input that uses no processor time waits for something that never happens. Long enough for the
 * busiest machine.
 */
const STUCK_AFTER_MS = 900_000;
const LOOK_EVERY_MS = 1_000;

export type Explored = {
  readonly target: Target;
  readonly reports: readonly Report[];
  readonly found: readonly Found[];
};
type End = { readonly report: Report } | { readonly found: Found };

/** A thread that ends without a report is a finding; another thread uses the time that is left. */
export async function explore(
  target: Target,
  options: { readonly seed: number; readonly ms: number; readonly input?: string | undefined },
): Promise<Explored> {
  const until = performance.now() + options.ms;
  const reports: Report[] = [];
  const found = new Map<string, Found>();
  for (
    let round = 0;
    round === 0 || (reports.length === 0 && performance.now() < until);
    round += 1
  ) {
    const end = await inThread(target, {
      ...options,
      seed: options.seed + round,
      ms: Math.max(0, until - performance.now()),
    });
    if ('report' in end) reports.push(end.report);
    for (const it of 'report' in end ? end.report.found : [end.found]) found.set(it.kind, it);
  }
  return { target, reports, found: [...found.values()] };
}

function inThread(
  target: Target,
  {
    seed,
    ms,
    input,
  }: { readonly seed: number; readonly ms: number; readonly input?: string | undefined },
): Promise<End> {
  const slot = InputSlot.of(target.longest);
  const task: Task = {
    name: target.name,
    files: target.files,
    guides: target.guides ?? [],
    seed,
    ms,
    shared: slot.shared,
    input,
  };
  const worker = new Worker(new URL('thread.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return new Promise((resolve, reject) => {
    let seen = { count: 0, at: performance.now(), cpuMs: processCpuMs() };
    const look = setInterval(() => {
      const cpuMs = processCpuMs() - seen.cpuMs;
      const waitedMs = performance.now() - seen.at;
      if (slot.count !== seen.count)
        seen = { count: slot.count, at: performance.now(), cpuMs: processCpuMs() };
      else if (seen.count > 0 && (cpuMs > HANGS_AFTER_CPU_MS || waitedMs > STUCK_AFTER_MS)) {
        const after = `${(cpuMs / 1000).toFixed(0)} s of processor time in ${(waitedMs / 1000).toFixed(0)} s`;
        done({
          found: { kind: 'does not end', message: `no end after ${after}`, input: slot.input },
        });
        void worker.terminate();
      }
    }, LOOK_EVERY_MS);
    const done = (end: End): void => {
      clearInterval(look);
      resolve(end);
    };
    worker.on('message', (report: Report) => done({ report }));
    worker.on('error', (error: Error & { readonly code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        done({
          found: {
            kind: 'out of memory',
            message: `needs more than ${HEAP_MB} MB`,
            input: slot.input,
          },
        });
      else {
        clearInterval(look);
        reject(error);
      }
    });
    worker.on('exit', () =>
      done({ found: { kind: 'ends the process', message: 'the thread ended', input: slot.input } }),
    );
  });
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
