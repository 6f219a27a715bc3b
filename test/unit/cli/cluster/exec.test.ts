// Does a command in a container have its input to its end, its output as it was written, and its
// exit code? On a server that speaks the protocol and runs real processes.
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/processes.ts';
import { executions, type PlainAnswers } from '../executions.ts';

const { api, upgrades, executing } = executions();

async function ran(script: string, stdin?: Readable) {
  const { stdout, stderr, end } = executing(script, { stdin });
  const told = await end;
  stdout.end();
  stderr.end();
  return { ...told, stdout: await text(stdout), stderr: await text(stderr) };
}

const BROKEN = { problem: 'the connection broke before the command had ended' };

/** It is full after each write until the test reads it. */
class SlowReader extends Writable {
  readonly texts: string[] = [];
  #done = (): void => undefined;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.texts.push(chunk.toString());
    this.#done = done;
  }

  read(): void {
    this.#done();
  }
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

  it('input is read no faster than it is sent', async () => {
    const stdin = new PassThrough();
    const { end } = executing('cat', { stdin });
    await eventually('the input is read', () => stdin.listenerCount('data') === 1);
    const waits: boolean[] = [];
    stdin.on('data', () => waits.push(stdin.isPaused()));
    stdin.write('one\n');
    stdin.write('two\n');
    stdin.end();
    expect(await end).toEqual({ exitCode: 0 });
    expect(waits).toEqual([true, true]);
  });

  it('input that breaks ends as other input does', async () => {
    const stdin = new PassThrough();
    stdin.on('error', () => undefined);
    const { stdout, end } = executing('cat; exit 3', { stdin });
    stdin.write('one\n');
    await once(stdout, 'data');
    stdin.destroy(new Error('the disk is broken'));
    await eventually('the command has ended', () => upgrades.connections === 0, 30);
    expect(await end).toEqual({ exitCode: 3 });
  });

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

  it('long output arrives complete at a slow reader', async () => {
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

  it('nothing is read while one of two full outputs is still full', async () => {
    const [stdout, stderr] = [new SlowReader(), new SlowReader()];
    const { end } = executing('echo ready; exec sleep 60', { stdout, stderr });
    await eventually('the command runs', () => stdout.texts.length === 1);
    stdout.read();
    upgrades.say([1, 'one'], [2, 'two']);
    await eventually('both are full', () => stdout.texts.length + stderr.texts.length === 3);
    upgrades.say([1, 'three']);
    stdout.read();
    // Whatever the client reads of the first connection has come before the end of this command.
    await executing('true').end;
    expect(stdout.texts).toEqual(['ready\n', 'one']);
    stderr.read();
    await eventually('the rest is shown', () => stdout.texts.length === 3);
    upgrades.breakConnections();
    expect(await end).toEqual(BROKEN);
  });

  it('the connection is closed when the command has ended', async () => {
    await executing('true').end;
    await eventually('it is closed', () => upgrades.connections === 0, 30);
  });

  it('the request names the container, and has the command unchanged', async () => {
    await ran('true # a&b c');
    const all = ['container', 'tty', 'stderr'].map((name) => upgrades.query.get(name));
    expect(all).toEqual(['main', 'false', 'true']);
    expect(upgrades.query.getAll('command')).toEqual(['/bin/sh', '-c', 'true # a&b c']);
  });

  it('a server of the kubeconfig may end in slashes', async () => {
    const { end } = executing('true', {}, { suffix: '/k8s//' });
    expect(await end).toEqual({ exitCode: 0 });
    expect(upgrades.path).toBe('/k8s/api/v1/namespaces/swarm/pods/sim-0-abcde/exec');
  });
});

describe('a command with a terminal', () => {
  it('the terminal is raw while the command runs, and its size is sent', async () => {
    const raw: boolean[] = [];
    const stdin = Object.assign(new PassThrough(), {
      setRawMode: (isRaw: boolean) => raw.push(isRaw),
    });
    const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
    const hungUp = process.listenerCount('SIGHUP');
    const script = 'read -r line; echo "$line"; exit 4';
    const { end } = executing(script, { stdin, stdout }, { isTerminal: true });
    await eventually('the size is sent', () => upgrades.sizes.length === 1);
    expect(raw).toEqual([true]);
    expect(process.listenerCount('SIGHUP')).toBe(hungUp + 1);
    stdout.columns = 100;
    stdout.emit('resize');
    stdin.write('typed\n');
    expect(await end).toEqual({ exitCode: 4 });
    expect(raw).toEqual([true, false]);
    expect(process.listenerCount('SIGHUP')).toBe(hungUp);
    expect(upgrades.sizes.map((size) => JSON.parse(size))).toEqual([
      { Width: 80, Height: 24 },
      { Width: 100, Height: 24 },
    ]);
    expect(['tty', 'stderr'].map((name) => upgrades.query.get(name))).toEqual(['true', 'false']);
    expect(stdout.listenerCount('resize')).toBe(0);
    stdout.end();
    expect((await buffer(stdout)).toString()).toBe('typed\n');
  });

  it('no size is sent of an output that has none', async () => {
    const stdin = new PassThrough();
    const { end } = executing('read -r line', { stdin }, { isTerminal: true });
    stdin.write('typed\n');
    expect(await end).toEqual({ exitCode: 0 });
    expect(upgrades.sizes).toEqual([]);
  });
});

describe('a command that does not run', () => {
  it("a command that cannot start is reported with the runtime's message", async () => {
    upgrades.problem = 'container not found ("main")';
    expect(await executing('true').end).toEqual({ problem: upgrades.problem });
  });

  it('an exit code that is no number is reported with the message', async () => {
    upgrades.exitCode = '7a';
    expect(await executing('exit 7').end).toEqual({
      problem: 'command terminated with exit code 7a',
    });
  });

  it('a broken connection is reported', async () => {
    const { stdout, end } = executing('echo here; exec sleep 60');
    await once(stdout, 'data');
    upgrades.breakConnections();
    expect(await end).toEqual(BROKEN);
  });

  it.each<[string, PlainAnswers, string]>([
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
      'it may do neither',
      { GET: [403, 'cannot get it'], POST: [403, 'cannot create it'] },
      'cannot create it; it takes the permissions get and create of pods/exec',
    ],
    [
      'the pod is gone',
      { GET: [404, 'pods "sim-0-abcde" not found'] },
      'pods "sim-0-abcde" not found',
    ],
    ['no other request is answered', { POST: [] }, 'Unexpected server response: 403'],
    [
      'nothing else is wrong',
      {},
      'the API server, or a proxy before it, opens no WebSocket: Unexpected server response: 403',
    ],
  ])('a request is refused with the reason when %s', async (_, answers, says) => {
    api.answers = answers;
    upgrades.refusal = '403 Forbidden';
    await expect(executing('true').end).rejects.toThrow(
      `cannot run a command in sim-0-abcde: ${says}`,
    );
  });

  it('an API server of an older protocol is named', async () => {
    upgrades.protocol = 'v4.channel.k8s.io';
    await expect(executing('true').end).rejects.toThrow(
      'the API server does not speak v5.channel.k8s.io',
    );
  });
});
