// Does a command in a container have its input to its end, its output as it was written, and its
// exit code? On a server that speaks the protocol and runs real processes.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ExecStreams, execute } from '../../../../src/cli/cluster/exec.ts';
import { PooledKubeConfig } from '../../../../src/runtime/client/config.ts';
import { eventually } from '../../../support/processes.ts';
import { ExecServer } from '../exec-server.ts';

/** By method: of requests that ask for no WebSocket. */
let answers: Readonly<Record<string, readonly [number, string]>> = {};
const server = createServer(({ method = '' }, response) => {
  const [code, message] = answers[method] ?? [400, 'Upgrade request required'];
  response.statusCode = code;
  response.end(JSON.stringify({ kind: 'Status', message }));
});
const upgrades = new ExecServer(server);
const config = new PooledKubeConfig();

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  config.loadFromClusterAndUser(
    { name: 'c', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
    { name: 'u' },
  );
});

afterEach(() => {
  upgrades.protocol = 'v5.channel.k8s.io';
  upgrades.problem = undefined;
  upgrades.answersPings = true;
  answers = {};
});

afterAll(async () => {
  await config.closeConnections();
  server.closeAllConnections();
  server.close();
});

const executed = {
  pod: { namespace: 'swarm', name: 'sim-0-abcde' },
  container: 'main',
  isTerminal: false,
};

const executing = (script: string, streams: Partial<ExecStreams> = {}, pingMs?: number) => {
  const all = { stdin: undefined, stdout: new PassThrough(), stderr: new PassThrough() };
  const words = ['/bin/sh', '-c', script];
  return { ...all, end: execute(config, { ...executed, words }, { ...all, ...streams }, pingMs) };
};

async function ran(script: string, stdin?: Readable) {
  const { stdout, stderr, end } = executing(script, { stdin });
  const told = await end;
  stdout.end();
  stderr.end();
  return { ...told, stdout: await text(stdout), stderr: await text(stderr) };
}

describe('a command in a container', () => {
  it('a command has its own exit code, and its two outputs stay apart', async () => {
    expect(await ran('echo out; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(await ran('echo ü')).toEqual({ exitCode: 0, stdout: 'ü\n', stderr: '' });
  });

  it('a command reads its input to the end', async () =>
    expect(
      await ran(
        'cat; echo end',
        Readable.from(['one\n', 'two\n'].map((line) => Buffer.from(line))),
      ),
    ).toEqual({
      exitCode: 0,
      stdout: 'one\ntwo\nend\n',
      stderr: '',
    }));

  it('a command without input reads nothing', async () => {
    expect(await ran('cat; echo end')).toMatchObject({ stdout: 'end\n' });
    expect(upgrades.query.get('stdin')).toBe('false');
  });

  it('a command may end before its input', async () => {
    const stdin = new PassThrough();
    expect(await ran('exit 0', stdin)).toMatchObject({ exitCode: 0 });
    expect(stdin.isPaused()).toBe(true);
    expect(stdin.listenerCount('data')).toBe(0);
  });

  it('what is long comes whole, also where it is read slowly', async () => {
    const chunks = Array.from({ length: 40 }, (_, at) => Buffer.alloc(100_000, at));
    const bytes: Buffer[] = [];
    let waiting = 0;
    const stdout = new Writable({
      highWaterMark: 1_000,
      write: (chunk: Buffer, _, done) => {
        bytes.push(chunk);
        waiting = Math.max(waiting, stdout.writableLength);
        setTimeout(done, 1);
      },
    });
    const { end } = executing('cat', { stdin: Readable.from(chunks), stdout });
    expect(await end).toEqual({ exitCode: 0 });
    stdout.end();
    await once(stdout, 'finish');
    expect(Buffer.concat(bytes).equals(Buffer.concat(chunks))).toBe(true);
    expect(waiting).toBeLessThan(2_000_000);
  });

  it('the path names the container, and the words as they are', async () => {
    await ran('true # a&b c');
    const all = ['container', 'tty', 'stderr'].map((name) => upgrades.query.get(name));
    expect(all).toEqual(['main', 'false', 'true']);
    expect(upgrades.query.getAll('command')).toEqual(['/bin/sh', '-c', 'true # a&b c']);
  });

  it('a server of the kubeconfig may end in slashes', async () => {
    const { server = '' } = config.getCurrentCluster() ?? {};
    const slashed = new PooledKubeConfig();
    slashed.loadFromClusterAndUser(
      { name: 'c', server: `${server}/k8s//`, skipTLSVerify: true },
      { name: 'u' },
    );
    const streams = { stdin: undefined, stdout: new PassThrough(), stderr: new PassThrough() };
    expect(await execute(slashed, { ...executed, words: ['true'] }, streams)).toEqual({
      exitCode: 0,
    });
    expect(upgrades.path).toBe('/k8s/api/v1/namespaces/swarm/pods/sim-0-abcde/exec');
    await slashed.closeConnections();
  });
});

describe('a connection that may be gone', () => {
  const BROKEN = { problem: 'the connection broke before the command had ended' };
  const PING_MS = 100;
  /** Some of it is on its way at each ping. */
  const OUTPUT =
    'i=0; while [ $((i = i + 1)) -le 60 ]; do head -c 100000 /dev/zero; sleep 0.02; done';

  it('a command that says nothing runs on while pings are answered', async () =>
    expect(await executing('sleep 1; exit 3', {}, PING_MS).end).toEqual({ exitCode: 3 }));

  it('a connection on which nothing comes any more is noticed', async () => {
    upgrades.answersPings = false;
    expect(await executing('exec sleep 60', {}, PING_MS).end).toEqual(BROKEN);
  });

  it('output proves that the connection is there, however late the answers to pings are', async () => {
    upgrades.answersPings = false;
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
    expect(await executing(OUTPUT, { stdout }, PING_MS).end).toEqual({ exitCode: 0 });
  });

  it('a reader that stops for a while breaks no connection', async () => {
    let stops = 0;
    const stdout = new Writable({
      highWaterMark: 1_000,
      // It stops just after a ping, and for more than one.
      write: (_chunk, _encoding, done) => {
        stops += 1;
        if (stops % 20 === 0) setTimeout(done, 2.5 * PING_MS);
        else done();
      },
    });
    expect(await executing(OUTPUT, { stdout }, PING_MS).end).toEqual({ exitCode: 0 });
    expect(stops).toBeGreaterThan(40);
  });
});

describe('a command with a terminal', () => {
  it('the terminal is raw while the command runs, and tells its size', async () => {
    const raw: boolean[] = [];
    const stdin = Object.assign(new PassThrough(), {
      setRawMode: (isRaw: boolean) => raw.push(isRaw),
    });
    const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
    const words = ['/bin/sh', '-c', 'read -r line; echo "$line"; exit 4'];
    const streams = { stdin, stdout, stderr: new PassThrough() };
    const end = execute(config, { ...executed, words, isTerminal: true }, streams);
    await eventually('the size is told', () => upgrades.sizes.length === 1);
    expect(raw).toEqual([true]);
    stdout.columns = 100;
    stdout.emit('resize');
    stdin.write('typed\n');
    expect(await end).toEqual({ exitCode: 4 });
    expect(raw).toEqual([true, false]);
    expect(upgrades.sizes.map((size) => JSON.parse(size))).toEqual([
      { Width: 80, Height: 24 },
      { Width: 100, Height: 24 },
    ]);
    expect(['tty', 'stderr'].map((name) => upgrades.query.get(name))).toEqual(['true', 'false']);
    expect(stdout.listenerCount('resize')).toBe(0);
    stdout.end();
    expect((await buffer(stdout)).toString()).toBe('typed\n');
  });
});

describe('a command that does not run', () => {
  it('a command that cannot start is told in the words of the runtime', async () => {
    upgrades.problem = 'container not found ("main")';
    expect(await executing('true').end).toEqual({ problem: upgrades.problem });
  });

  it('a connection that breaks is told', async () => {
    const { stdout, end } = executing('echo here; exec sleep 60');
    await once(stdout, 'data');
    upgrades.breakConnections();
    expect(await end).toEqual({
      problem: 'the connection broke before the command had ended',
    });
  });

  it.each<[string, typeof answers, string]>([
    [
      'it may not get pods/exec',
      { GET: [403, 'cannot get resource "pods/exec"'] },
      'cannot get resource "pods/exec"; it takes the permissions get and create of pods/exec',
    ],
    [
      'it may not create pods/exec',
      { POST: [403, 'cannot create resource "pods/exec"'] },
      'cannot create resource "pods/exec"; it takes the permissions get and create of pods/exec',
    ],
    [
      'the pod is gone',
      { GET: [404, 'pods "sim-0-abcde" not found'] },
      'pods "sim-0-abcde" not found',
    ],
    [
      'nothing else is wrong',
      {},
      'the API server, or a proxy before it, opens no WebSocket: Unexpected server response: 403',
    ],
  ])('a request is refused with the reason when %s', async (_, told, says) => {
    answers = told;
    const refuse = (socket: NodeJS.WritableStream): void =>
      void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    const listeners = server.listeners('upgrade');
    server.removeAllListeners('upgrade');
    server.once('upgrade', (_request, socket) => refuse(socket));
    const refused = expect(executing('true').end).rejects.toThrow(
      `cannot run a command in sim-0-abcde: ${says}`,
    );
    await refused;
    for (const listener of listeners) server.on('upgrade', listener as () => void);
  });

  it('an API server of an older protocol is named', async () => {
    upgrades.protocol = 'v4.channel.k8s.io';
    await expect(executing('true').end).rejects.toThrow(
      'the API server does not speak v5.channel.k8s.io',
    );
  });
});
