// A worker that keeps every promise but one, which its argument names: it shows that each break is
// found and named.
import { execSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { readAssignment, type Slice } from '../../../src/api/assignment.ts';
import type {
  ReportedState,
  ReportedStreams,
  StreamReport,
} from '../../../src/api/reported-streams.ts';
import { isPermitted } from '../../../src/worker/file/fence.ts';

const lie = process.argv[2] ?? '';
const env = (name: string): string => process.env[name] ?? '';
const me = env('POD_NAME');

type Stream = {
  socket: Socket | undefined;
  readonly url: string;
  readonly token: string | undefined;
  isWanted: boolean;
  /** How often it has ended by itself; nothing gets well during a check. */
  ends: number;
  since: string;
};
const streams = new Map<string, Stream>();
let wanted: Slice = { jobs: [], version: 0 };
let newest = 0;
let confirmed = lie === 'starts at version 5' ? 5 : 0;
let isDraining = false;

function read(): void {
  const found = readAssignment(textOf(env('SWARM_CONFIG_FILE')));
  if (!found.ok) {
    if (lie === 'forgets all at a broken file' && newest > 0)
      wanted = { jobs: [], version: wanted.version };
    return;
  }
  const { version, workloads } = found.assignment;
  if (version < newest && lie !== 'takes up an older file') return;
  newest = version;
  const mine = workloads.get(me);
  if (lie === 'takes what is not its own') {
    const all = [...workloads.values()];
    wanted = {
      jobs: all.flatMap(({ jobs }) => jobs),
      version,
      parameters: Object.assign({}, ...all.map(({ parameters }) => parameters)),
    };
  } else if (mine !== undefined) wanted = mine;
  else if (lie !== 'goes on without an entry') wanted = { jobs: [], version };
}

function step(): void {
  const nothing: Slice = { jobs: [], version: 0 };
  const { jobs, parameters = {} } = isDraining ? nothing : wanted;
  const isNews = jobs.some((job) => !streams.has(job));
  for (const [name, stream] of streams) {
    const isAnew = lie === 'starts all anew at every change' && isNews;
    if (jobs.includes(name) && !isAnew && !isRestarted(name, stream)) continue;
    if (lie === 'ignores removals' && !isDraining) continue;
    if (stream.isWanted) end(name, stream);
  }
  const fence = env('SWARM_ASSIGNED_FILE');
  const mayStart =
    fence === '' ||
    lie === 'starts what is not permitted' ||
    isPermitted(wanted, textOf(fence), env('POD_UID'));
  if (mayStart)
    for (const name of jobs) if (!streams.has(name)) begin(name, parameters[name]?.['url'] ?? '');
  const isLate = lie === 'never confirms a restart' && wanted.restarts !== undefined;
  const isTrue =
    !isLate &&
    jobs.every((job) => streams.get(job)?.isWanted === true || lie === 'confirms too early') &&
    (streams.size === jobs.length || lie === 'confirms too early');
  if (lie === 'counts on' && isTrue) confirmed = wanted.version + 1;
  else if ((isTrue || lie === 'ignores removals') && !isDraining)
    confirmed = lie === 'ignores removals' ? Math.min(confirmed, 1) || 1 : wanted.version;
}

function tokenOf(name: string): string | undefined {
  const token = wanted.restarts?.[name];
  if (token === undefined || lie === 'confirms a restart without doing it') return undefined;
  return lie === 'restarts for an old token' ? `${token} ${wanted.version}` : token;
}

function isRestarted(name: string, { token }: Stream): boolean {
  const wish = tokenOf(name);
  return wish !== undefined && wish !== token;
}

function begin(name: string, url: string): void {
  const since = new Date().toISOString();
  const stream: Stream = {
    socket: undefined,
    url,
    token: tokenOf(name),
    isWanted: true,
    ends: 0,
    since,
  };
  streams.set(name, stream);
  if (lie === 'runs names') execSync(`echo "${name}" || true`, { stdio: 'ignore' });
  dial(stream);
}

function dial(stream: Stream): void {
  stream.socket = connect(Number(new URL(stream.url).port), '127.0.0.1').on(
    'error',
    () => undefined,
  );
  stream.socket.resume().on('close', () => {
    if (!stream.isWanted || lie === 'starts nothing again') return;
    stream.ends += 1;
    if (stream.ends === 1) stream.since = new Date().toISOString();
    setTimeout(
      () => stream.isWanted && dial(stream),
      lie === 'starts again without a pause' ? 0 : 300,
    );
  });
}

function end(name: string, stream: Stream): void {
  stream.isWanted = false;
  setTimeout(
    () => {
      stream.socket?.destroy();
      streams.delete(name);
    },
    lie === 'confirms too early' ? 1_000 : 20,
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return lie === 'forgets all at a missing file' && newest > 0
      ? 'format: 1\nworkloads: {}\nversion: 999'
      : '';
  }
}

function stateOf({ socket, ends, isWanted }: Stream): ReportedState {
  if (!isWanted) return 'Stopping';
  if (ends >= 3 && lie !== 'tells nothing of a crash') return 'Restarting';
  return socket?.readyState === 'open' || ends >= 3 ? 'Running' : 'Starting';
}

function told(): ReportedStreams {
  const names = [...streams].flatMap(([name, stream]) =>
    stateOf(stream) === 'Running' && lie !== 'tells that what runs has failed' ? [] : [name],
  );
  if (lie === 'tells of thousands') for (let n = 0; n < 3_000; n += 1) names.push(`x${n}`);
  const all = names.map((name): [string, StreamReport] => {
    const { url, ends, since } = streams.get(name) ?? { url: '', ends: 0, since: undefined };
    const message = lie === 'tells what a parameter says' ? `no answer of ${url}` : 'it has ended';
    const stream = streams.get(name);
    const state = stream === undefined ? 'Failed' : stateOf(stream);
    return [
      name,
      {
        state: state === 'Running' ? 'Failed' : state,
        restarts: Math.max(0, ends - 1),
        ...(since !== undefined && { since }),
        message,
      },
    ];
  });
  const states: Record<string, number> = { Running: streams.size - all.length };
  for (const [, { state }] of all) states[state] = (states[state] ?? 0) + 1;
  return { streams: Object.fromEntries(all), ...(all.length > 0 && { states }) };
}

function report(): string {
  if (lie === 'answers garbage') return '<html>hello</html>';
  const held = lie === 'confirms too early' ? wanted.jobs : [...streams.keys()];
  const jobs = lie === 'tells streams twice' ? ['z', 'z', ...held] : held;
  return JSON.stringify({
    version: confirmed,
    jobs,
    podUid: lie === 'is somebody else' ? 'me' : env('POD_UID'),
    ...told(),
  });
}

const server = createServer((request, response) => {
  const isKnown = request.url === '/internal/version' || request.url === '/internal/health';
  const status =
    lie === 'is never well' && request.url === '/internal/health'
      ? 500
      : isKnown || lie === 'answers anything'
        ? 200
        : 404;
  const delay = lie === 'answers slowly' ? 2_500 : 0;
  setTimeout(() => response.writeHead(status).end(report()), delay);
});
server.listen(Number(env('SWARM_PORT')), '127.0.0.1');

setInterval(() => {
  read();
  if (newest > 0) step();
  if (isDraining && streams.size === 0) process.exit(lie === 'ends with an error' ? 3 : 0);
}, 50);
process.on('SIGTERM', () => {
  if (lie === 'does not drain') return;
  if (lie === 'leaves a process behind') spawn('sleep', ['600'], { stdio: 'ignore' });
  isDraining = true;
});
