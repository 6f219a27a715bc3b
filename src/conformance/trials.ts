// The trials that show whether a worker keeps its promises. Each leaves the worker as the next one
// expects it.
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dump } from 'js-yaml';
import type { StreamReport } from '../api/reported-streams.ts';
import { shown } from './ask.ts';
import type { Drive } from './drive.ts';
import { observe } from './observe.ts';
import type { PromiseId } from './promises.ts';
import { noWitness, tryToken } from './restart.ts';
import { workerName } from './subject.ts';

/** More starts in a second than these have no pause between them. */
const busyPerSecond = 10;

type Trial = (drive: Drive) => Promise<void>;

/** Returns why the rest cannot be tried, if it cannot. */
export async function tryAll(drive: Drive, graceMs: number): Promise<string | undefined> {
  const { ledger } = drive;
  ledger.trying('answers');
  const missing = await drive.starts();
  if (missing !== undefined) {
    const end = drive.subject.hasEnded ? `; it has exited: ${drive.subject.lastWords}` : '';
    ledger.broken('answers', 'a report', `${missing}${end}`);
    return 'it does not answer';
  }
  tryEmpty(drive);
  await observe(drive.ask, ledger, drive.subject.podUid);
  if (!(await tryFirst(drive))) return 'it has not started its first streams';
  for (const trial of [
    tryChange,
    tryNames,
    tryLastGood,
    tryTells,
    tryToken,
    tryRestarts,
    tryNoEntry,
  ])
    await trial(drive);
  // Every probe since the first version was a trial of it.
  ledger.trying('true');
  ledger.kept('true');
  await tryDrain(drive, graceMs);
  return undefined;
}

function tryEmpty({ report, ledger }: Drive): void {
  ledger.trying('empty');
  if (typeof report === 'string') return;
  const isEmpty = report.version === 0 && (report.jobs ?? []).length === 0;
  ledger.judge('empty', 'version 0 and no jobs', isEmpty ? undefined : shown(report));
}

async function tryFirst(drive: Drive): Promise<boolean> {
  drive.ledger.trying('takes-up');
  await drive.publish(['a', 'b', 'c']);
  return mustConverge(drive, 'takes-up');
}

const tryChange: Trial = async (drive) => {
  const { ledger, sources } = drive;
  ledger.trying('lets-go');
  const isWitnessed = await drive.isWitnessed();
  const before = ['b', 'c'].map((stream) => sources.connectionsOf(stream));
  await drive.publish(['b', 'c', 'd']);
  const missing = await drive.converges();
  const isHeld =
    sources.readersOf('a') > 0 ||
    (typeof drive.report !== 'string' && drive.report.jobs?.includes('a') === true);
  const got = missing ?? 'it still reads its source';
  if (isHeld) ledger.broken('lets-go', 'the end of "a", which was removed', got);
  else if (missing === undefined) ledger.kept('lets-go');
  else ledger.broken('takes-up', wanted(drive), missing);
  ledger.trying('keeps');
  // The same streams under a new version, which the worker only has to confirm.
  await drive.publish(['b', 'c', 'd']);
  await mustConverge(drive, 'takes-up');
  const after = ['b', 'c'].map((stream) => sources.connectionsOf(stream));
  if (!isWitnessed) return ledger.notTried('keeps', noWitness);
  const change = after.join() === before.join() ? undefined : 'they were restarted';
  ledger.judge('keeps', 'no restart of "b" and "c", which stayed', change);
};

const tryNames: Trial = async (drive) => {
  drive.ledger.trying('names');
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
    drive.ledger.broken('names', 'no name run as code', `${trace} was created`);
  drive.ledger.judge('names', wanted(drive), missing);
  rmSync(trace, { force: true });
  await drive.publish(['b', 'c']);
  await mustConverge(drive, 'lets-go');
};

const tryLastGood: Trial = async (drive) => {
  drive.ledger.trying('last-good');
  const { version } = drive.published;
  const entry = (more: object): string =>
    dump({ ...more, workloads: { [workerName]: { jobs: ['x'] } } });
  const bad: readonly (readonly [what: string, text: string | undefined])[] = [
    ['a file that is not YAML', 'workloads: [\n'],
    ['a file without a version', entry({ format: 1 })],
    ['a file with an unknown format', entry({ format: 99, version: version + 1 })],
    ['a file of an older version', entry({ format: 1, version: version - 1 })],
    ['no file', undefined],
  ];
  for (const [what, text] of bad) {
    await drive.subject.mount('config', text);
    const changed = await drive.stays();
    if (changed !== undefined)
      drive.ledger.broken('last-good', `with ${what}, still ${wanted(drive)}`, changed);
  }
  await drive.publish(['b', 'e']);
  await mustConverge(drive, 'last-good', 'after these files');
};

/** A stream that ends as soon as it starts, beside others that run since the trials began. */
const tryTells: Trial = async (drive) => {
  const { sources } = drive;
  const tells = typeof drive.report !== 'string' && drive.report.streams !== undefined;
  if (!tells || !sources.wasEverRead) return;
  drive.ledger.trying('tells');
  const { jobs: running } = drive.published;
  await sources.urlOf(crashing);
  sources.interrupt(crashing, true);
  await drive.publish([...running, crashing]);
  await judgeTold(drive, running);
  await drive.publish(running);
  await mustConverge(drive, 'lets-go');
};

const crashing = 'crashing';

async function judgeTold(drive: Drive, running: readonly string[]): Promise<void> {
  const { ledger, sources } = drive;
  const toldOf = (stream: string): StreamReport | undefined =>
    typeof drive.report === 'string' ? undefined : drive.report.streams?.[stream];
  const starts = (least: number): Promise<string | undefined> =>
    drive.waitFor(() => (sources.connectionsOf(crashing) < least ? 'too few' : undefined));
  for (const least of [1, 2, 3])
    if ((await starts(least)) !== undefined)
      return ledger.notTried('tells', 'it does not restart a stream that ended by itself');
  const unsaid = await drive.waitFor(() =>
    toldOf(crashing)?.state === 'Restarting' ? undefined : shown(toldOf(crashing)),
  );
  const expected = `Restarting of ${shown(crashing)}, which has ended three times`;
  if (unsaid !== undefined) return ledger.broken('tells', expected, unsaid);
  const { restarts = 0 } = toldOf(crashing) ?? {};
  await starts(sources.connectionsOf(crashing) + 1);
  const unchanged = await drive.waitFor(() =>
    (toldOf(crashing)?.restarts ?? 0) > restarts ? undefined : shown(toldOf(crashing)),
  );
  ledger.judge('tells', `more than ${restarts} restarts after another crash`, unchanged);
  const told = running.find((stream) => toldOf(stream) !== undefined);
  const got = told && `${shown(told)}: ${shown(toldOf(told))}`;
  ledger.judge('tells', 'no entry for running streams', got);
}

const tryRestarts: Trial = async (drive) => {
  const { ledger, sources } = drive;
  if (!sources.wasEverRead) return ledger.notTried('restarts', noWitness);
  ledger.trying('restarts');
  const [before, began] = [sources.connectionsOf('b'), performance.now()];
  sources.interrupt('b', true);
  await drive.watch(drive.quietMs, () => false);
  const starts = sources.connectionsOf('b') - before;
  sources.interrupt('b', false);
  const seconds = (performance.now() - began) / 1000;
  const most = Math.ceil(busyPerSecond * seconds);
  const pauses = `pauses: at most ${most} starts in ${seconds.toFixed(1)} s`;
  if (starts > most) ledger.broken('restarts', pauses, `${starts}`);
  const missing = await drive.waitFor(() =>
    sources.readersOf('b') > 0 ? undefined : 'it no longer reads its source',
  );
  ledger.judge('restarts', 'a restart after its source was cut off', missing);
};

const tryNoEntry: Trial = async (drive) => {
  drive.ledger.trying('no-entry');
  await drive.publish([], { entry: 'none' });
  await mustConverge(drive, 'no-entry');
  const [read] = drive.sources.read;
  const got = `it reads the source of ${shown(read)}`;
  if (read !== undefined) drive.ledger.broken('no-entry', 'no streams running', got);
};

async function tryDrain(drive: Drive, graceMs: number): Promise<void> {
  const { ledger, subject, sources } = drive;
  ledger.trying('drains');
  await drive.publish(['a', 'b']);
  await drive.converges();
  await drive.end();
  const ending = await subject.terminate(graceMs);
  const expected = `exit code 0 within ${graceMs / 1000} s`;
  if (ending === undefined) ledger.broken('drains', expected, 'it is still running');
  else if (ending !== 'with code 0')
    ledger.broken('drains', expected, `it exited ${ending}: ${subject.lastWords}`);
  // The sources see the end of a connection a moment later.
  const left = (): string | undefined => {
    const [read] = sources.read;
    if (subject.hasLeftovers) return 'processes that it started are still running';
    return read === undefined ? undefined : `it still reads the source of ${shown(read)}`;
  };
  for (const until = performance.now() + 500; left() !== undefined && performance.now() < until; )
    await delay(20);
  ledger.judge('drains', 'nothing left behind', left());
}

/** The worker was started with the annotation's file, and runs nothing yet. */
export async function tryFence(drive: Drive): Promise<void> {
  const { ledger } = drive;
  ledger.trying('fence');
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
  await drive.permit({ uid: 'another-pod' });
  await nothingStarts("by another pod's annotation", []);
  await drive.permit({ version: drive.published.version + 1 });
  await nothingStarts('from a file that is older than the annotation', []);
  await drive.permit();
  await mustConverge(drive, 'fence', 'once the annotation permits it');
  await drive.publish(['a', 'x'], { withheld: true });
  await nothingStarts('of a later version, before the annotation permits it', ['a']);
  await drive.permit();
  await mustConverge(drive, 'fence', 'once the annotation permits the later version');
}

async function mustConverge(drive: Drive, id: PromiseId, when = ''): Promise<boolean> {
  const missing = await drive.converges();
  drive.ledger.judge(id, `${wanted(drive)} ${when}`.trim(), missing);
  return missing === undefined;
}

const wanted = ({ published: { version, jobs } }: Drive): string =>
  `version ${version} with the jobs ${shown(jobs)}`;
