// Starts a worker, tries all its promises, and ends it.
import { once } from 'node:events';
import { Drive } from './drive.ts';
import { type Judged, Ledger, type OnProgress } from './promises.ts';
import { type Scheme, Sources } from './sources.ts';
import { type Fence, Subject } from './subject.ts';
import { tryAll, tryFence } from './trials.ts';

export type RunOptions = {
  readonly command: string;
  readonly scheme: Scheme;
  readonly isExclusive: boolean;
  readonly patienceMs: number;
  readonly quietMs: number;
  readonly graceMs: number;
  readonly onProgress?: OnProgress;
  /** When it is aborted, the check throws after everything that it started has ended. */
  readonly signal: AbortSignal;
};

export async function checkByRunning(options: RunOptions): Promise<readonly Judged[]> {
  const ledger = new Ledger(options.onProgress);
  const why = await driven(options, 'open', ledger, (drive) => tryAll(drive, options.graceMs));
  if (!options.isExclusive)
    ledger.notTried('fence', 'only handoff Exclusive needs it; use --exclusive to test it');
  else if (why === undefined) await driven(options, 'fenced', ledger, tryFence);
  return ledger.judged(why ?? 'could not be tested');
}

async function driven<Result>(
  options: RunOptions,
  fence: Fence,
  ledger: Ledger,
  story: (drive: Drive) => Promise<Result>,
): Promise<Result> {
  const subject = await Subject.start(options.command, fence);
  const sources = new Sources(options.scheme);
  const drive = new Drive(subject, sources, ledger, options);
  try {
    drive.begin();
    return await Promise.race([story(drive), abortOf(options.signal)]);
  } finally {
    await drive.end();
    await subject.remove();
    await sources.close();
  }
}

async function abortOf(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
