// What is done to a worker to see whether it keeps its promises? One story, each part of which
// leaves it as the next expects it.
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dump } from 'js-yaml';
import { shown } from './ask.ts';
import type { Drive } from './drive.ts';
import { observe } from './observe.ts';
import { workerName } from './subject.ts';

/** So many starts in a second are no pause. */
const busyPerSecond = 10;

type Trial = (drive: Drive) => Promise<void>;

/** Answers why the rest cannot be tried, if so. */
export async function tryAll(drive: Drive, graceMs: number): Promise<string | undefined> {
  const { ledger } = drive;
  const missing = await drive.starts();
  if (missing !== undefined) {
    ledger.broken(
      'answers',
      'a report',
      `${missing}${drive.subject.hasEnded ? `; it has ended: ${drive.subject.lastWords}` : ''}`,
    );
    return 'it does not answer';
  }
  tryEmpty(drive);
  await observe(drive.ask, ledger, drive.subject.podUid);
  if (!(await tryFirst(drive))) return 'it has not taken up its first streams';
  for (const trial of [tryChange, tryNames, tryLastGood, tryRestarts, tryNoEntry])
    await trial(drive);
  ledger.kept('true');
  await tryDrain(drive, graceMs);
  return undefined;
}

function tryEmpty({ report, ledger }: Drive): void {
  if (typeof report === 'string') return;
  if (report.version === 0 && (report.jobs ?? []).length === 0) ledger.kept('empty');
  else ledger.broken('empty', 'version 0 and no jobs', shown(report));
}

async function tryFirst(drive: Drive): Promise<boolean> {
  await drive.publish(['a', 'b', 'c']);
  const missing = await drive.converges();
  if (missing !== undefined) drive.ledger.broken('takes-up', wanted(drive), missing);
  return missing === undefined;
}

const tryChange: Trial = async (drive) => {
  const { ledger, sources } = drive;
  const isWitnessed = await drive.isWitnessed();
  const before = ['b', 'c'].map((stream) => sources.connectionsOf(stream));
  await drive.publish(['b', 'c', 'd']);
  const missing = await drive.converges();
  const isHeld =
    sources.readersOf('a') > 0 ||
    (typeof drive.report !== 'string' && drive.report.jobs?.includes('a') === true);
  if (isHeld)
    ledger.broken(
      'lets-go',
      'the end of "a", which was taken away',
      missing ?? 'its source is still being read',
    );
  else if (missing === undefined) ledger.kept('lets-go');
  if (missing !== undefined && !isHeld) ledger.broken('takes-up', wanted(drive), missing);
  // The same streams under a new version: nothing is to be done but to say so.
  await drive.publish(['b', 'c', 'd']);
  const silent = await drive.converges();
  if (silent !== undefined) ledger.broken('takes-up', wanted(drive), silent);
  ledger.kept('takes-up');
  const after = ['b', 'c'].map((stream) => sources.connectionsOf(stream));
  if (!isWitnessed) ledger.notTried('keeps', noWitness);
  else if (after.join() === before.join()) ledger.kept('keeps');
  else
    ledger.broken('keeps', 'no new start of "b" and "c", which stayed', 'they were started anew');
};

const tryNames: Trial = async (drive) => {
  const trace = path.join(tmpdir(), `swarm-check-${drive.subject.podUid}`);
  const names = [
    `; touch ${trace}`,
    `$(touch ${trace})`,
    `\`touch ${trace}\``,
    `' "`,
    'two words',
    '../../etc/passwd',
    '-rf',
    '*',
    'ünïcode 流',
    'constructor',
  ];
  await drive.publish([...names, 'b']);
  const missing = await drive.converges();
  if (existsSync(trace))
    drive.ledger.broken('names', 'nothing to be run that stands in a name', `${trace} was made`);
  else if (missing !== undefined) drive.ledger.broken('names', wanted(drive), missing);
  else drive.ledger.kept('names');
  rmSync(trace, { force: true });
  await drive.publish(['b', 'c']);
  const stuck = await drive.converges();
  if (stuck !== undefined) drive.ledger.broken('lets-go', wanted(drive), stuck);
};

const tryLastGood: Trial = async (drive) => {
  const { version } = drive.told;
  const entry = (more: object): string =>
    dump({ ...more, workloads: { [workerName]: { jobs: ['x'] } } });
  const bad: readonly (readonly [what: string, text: string | undefined])[] = [
    ['a file that is no YAML', 'workloads: [\n'],
    ['a file without a version', entry({ format: 1 })],
    ['a file of a format it cannot know', entry({ format: 99, version: version + 1 })],
    ['a file of an older version', entry({ format: 1, version: version - 1 })],
    ['no file any more', undefined],
  ];
  for (const [what, text] of bad) {
    await drive.subject.mount('config', text);
    const changed = await drive.stays();
    if (changed !== undefined)
      drive.ledger.broken('last-good', `with ${what}, ${wanted(drive)} still`, changed);
  }
  await drive.publish(['b', 'e']);
  const missing = await drive.converges();
  if (missing !== undefined)
    drive.ledger.broken('last-good', `after all that, ${wanted(drive)}`, missing);
  drive.ledger.kept('last-good');
};

const tryRestarts: Trial = async (drive) => {
  const { ledger, sources } = drive;
  if (!sources.wasEverRead) {
    ledger.notTried('restarts', noWitness);
    return;
  }
  const [before, began] = [sources.connectionsOf('b'), performance.now()];
  sources.interrupt('b', true);
  await drive.watch(drive.quietMs, () => false);
  const starts = sources.connectionsOf('b') - before;
  sources.interrupt('b', false);
  const seconds = (performance.now() - began) / 1000;
  const most = Math.ceil(busyPerSecond * seconds);
  if (starts > most)
    ledger.broken(
      'restarts',
      `pauses: at most ${most} starts in ${seconds.toFixed(1)} s`,
      `${starts}`,
    );
  const missing = await drive.waitFor(() =>
    sources.readersOf('b') > 0 ? undefined : 'nobody reads from it any more',
  );
  if (missing === undefined) ledger.kept('restarts');
  else ledger.broken('restarts', 'a new start after its source had been cut off', missing);
};

const tryNoEntry: Trial = async (drive) => {
  await drive.publish([], { entry: 'none' });
  const missing = await drive.converges();
  const [read] = drive.sources.read;
  if (missing !== undefined) drive.ledger.broken('no-entry', wanted(drive), missing);
  else if (read !== undefined)
    drive.ledger.broken(
      'no-entry',
      'nothing consumed',
      `the source of ${shown(read)} is being read`,
    );
  else drive.ledger.kept('no-entry');
};

async function tryDrain(drive: Drive, graceMs: number): Promise<void> {
  const { ledger, subject, sources } = drive;
  await drive.publish(['a', 'b']);
  await drive.converges();
  await drive.end();
  const ending = await subject.terminate(graceMs);
  const expected = `an end with code 0 within ${graceMs / 1000} s`;
  if (ending === undefined) ledger.broken('drains', expected, 'it still runs');
  else if (ending !== 'with code 0')
    ledger.broken('drains', expected, `an end ${ending}: ${subject.lastWords}`);
  // What its end closes, others see a moment later.
  const left = (): string | undefined => {
    const [read] = sources.read;
    if (subject.hasLeftovers) return 'processes that it started still run';
    return read === undefined ? undefined : `the source of ${shown(read)} is still being read`;
  };
  for (const until = performance.now() + 500; left() !== undefined && performance.now() < until; )
    await delay(20);
  const found = left();
  if (found !== undefined) ledger.broken('drains', 'nothing left of it', found);
  ledger.kept('drains');
}

/** Of a worker that was started with the annotation's file, and runs nothing yet. */
export async function tryFence(drive: Drive): Promise<void> {
  const { ledger } = drive;
  const nothingStarts = async (when: string, allowed: readonly string[]): Promise<void> => {
    await drive.watch(drive.quietMs, () => {
      const said = typeof drive.report === 'string' ? [] : (drive.report.jobs ?? []);
      const started = [...said, ...drive.sources.read].find((stream) => !allowed.includes(stream));
      if (started !== undefined)
        ledger.broken('fence', `nothing new ${when}`, `${shown(started)} was started`);
      return started !== undefined;
    });
  };
  await drive.starts();
  await drive.publish(['a'], { withheld: true });
  await nothingStarts('without the annotation', []);
  await drive.vouch({ uid: 'another-pod' });
  await nothingStarts("by another pod's annotation", []);
  await drive.vouch({ version: drive.told.version + 1 });
  await nothingStarts('from a file that is older than the annotation', []);
  await drive.vouch();
  await mustConverge(drive, 'once it is vouched for');
  await drive.publish(['a', 'x'], { withheld: true });
  await nothingStarts('of a later version, before that is vouched for', ['a']);
  await drive.vouch();
  await mustConverge(drive, 'once that is vouched for too');
  ledger.kept('fence');
}

async function mustConverge(drive: Drive, when: string): Promise<void> {
  const missing = await drive.converges();
  if (missing !== undefined) drive.ledger.broken('fence', `${wanted(drive)} ${when}`, missing);
}

const noWitness =
  'it reads none of the sources that its streams name (parameter url), so nobody sees what it really consumes';
const wanted = ({ told }: Drive): string =>
  `version ${told.slice.version} with the jobs ${shown(told.slice.jobs)}`;
