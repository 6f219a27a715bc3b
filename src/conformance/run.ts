// How is a worker tried from its start to its end?
import { Drive } from './drive.ts';
import { type Judged, Ledger } from './promises.ts';
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
  /** Called off, it throws, after everything that was started has ended. */
  readonly signal: AbortSignal;
};

export async function checkByRunning(options: RunOptions): Promise<readonly Judged[]> {
  const ledger = new Ledger();
  const why = await driven(options, 'open', ledger, (drive) => tryAll(drive, options.graceMs));
  if (!options.isExclusive)
    ledger.notTried('fence', 'only handoff Exclusive needs it; --exclusive tries it');
  else if (why === undefined) await driven(options, 'fenced', ledger, tryFence);
  return ledger.judged(why ?? 'no way to try it');
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
    return await Promise.race([story(drive), calledOff(options.signal)]);
  } finally {
    await drive.end();
    await subject.remove();
    await sources.close();
  }
}

function calledOff(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
