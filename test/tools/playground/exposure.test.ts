// What can another user of this machine, or a web page in its browser, reach of a playground?
// Checks all its ports and files.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { familyOf, listProcesses } from '../../../src/playground/processes/processes.ts';
import { program } from '../../integration/cli/swarmctl.ts';
import { binariesFolder } from '../../support/binaries-folder.ts';
import { eventually } from '../../support/processes.ts';

type Listener = { readonly of: string; readonly address: string; readonly port: number };

const page = 'https://page.example';
let cache = '';
let up: ReturnType<typeof spawn> | undefined;
let kubeconfig = '';
let listeners: readonly Listener[] = [];

beforeAll(async () => {
  const binaries = await binariesFolder();
  cache = await mkdtemp(path.join(tmpdir(), 'swarm-exposure-'));
  mkdirSync(path.join(cache, 'temporary'));
  const env = {
    ...process.env,
    TMPDIR: path.join(cache, 'temporary'),
    XDG_CACHE_HOME: path.join(cache, 'made', 'later'),
    KUBEBUILDER_ASSETS: binaries,
  };
  up = spawn(process.execPath, [...program, 'playground', 'up'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  up.stdout?.on('data', (data) => {
    told += String(data);
  });
  await eventually('it prints how to use it', () => told.includes('kubectl get nodes'));
  const answer = spawnSync(process.execPath, [...program, 'playground', 'env'], { env });
  kubeconfig = /^export KUBECONFIG=(\S+)$/m.exec(String(answer.stdout))?.[1] ?? '';
  listeners = listenersOf(new Set([up.pid ?? 0]));
});

afterAll(async () => {
  if (up?.exitCode === null) {
    up.kill('SIGTERM');
    await once(up, 'exit');
  }
  await rm(cache, { recursive: true });
});

/** Ports on which these processes and their children listen, from the kernel. */
function listenersOf(roots: ReadonlySet<number>): readonly Listener[] {
  const names = new Map<string, string>();
  for (const { pid } of familyOf(roots, listProcesses())) {
    const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    for (const descriptor of readdirSync(`/proc/${pid}/fd`))
      names.set(linkOf(`/proc/${pid}/fd/${descriptor}`), name);
  }
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((row) => {
        const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
        const of = names.get(`socket:[${inode}]`);
        const [address = '', port = ''] = local.split(':');
        return state === '0A' && of !== undefined
          ? [{ of, address: addressIn(address), port: Number.parseInt(port, 16) }]
          : [];
      }),
  );
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/**
 * The kernel writes the four bytes of an IPv4 address in reverse; IPv6 addresses stay as they are.
 */
function addressIn(hex: string): string {
  return hex.length === 8 ? [...Buffer.from(hex, 'hex')].reverse().join('.') : hex;
}

/**
 * The response to a web page with its own host name (DNS rebinding), without certificate or token.
 */
async function answerOf(
  socket: Socket,
  method: 'GET' | 'POST' | 'OPTIONS',
  at: string,
): Promise<string> {
  const said = text(socket).catch(() => '');
  socket.on('error', () => undefined);
  socket.setTimeout(10_000, () => socket.destroy());
  const asks = ['access-control-request-method: POST', 'content-length: 2', 'connection: close'];
  socket.write(
    [`${method} ${at} HTTP/1.1`, 'host: page.example', `origin: ${page}`, ...asks, '', '{}'].join(
      '\r\n',
    ),
  );
  return said;
}

const requests = [
  ['GET', '/'],
  ['GET', '/version'],
  ['GET', '/metrics'],
  ['GET', '/api/v1/namespaces/kube-system/secrets'],
  ['GET', '/containerLogs/default/pod/container'],
  ['POST', '/v3/kv/range'],
  ['OPTIONS', '/v3/kv/put'],
] as const;

describe('listening sockets', () => {
  it('etcd, API server, controller manager, node and port claim have listening sockets', () => {
    expect(listeners.filter(({ of }) => of === 'etcd')).toHaveLength(2);
    expect(listeners.filter(({ of }) => of.startsWith('kube-'))).toHaveLength(2);
    expect(listeners.length).toBeGreaterThanOrEqual(6);
  });

  it('all sockets of a playground listen on loopback only', () => {
    expect(listeners.filter(({ address }) => !address.startsWith('127.'))).toEqual([]);
  });

  it.each([
    ['without TLS', ({ address, port }: Listener) => connect(port, address)],
    [
      'with TLS',
      ({ address, port }: Listener) =>
        connectTls({ host: address, port, rejectUnauthorized: false }),
    ],
  ])('a socket reveals nothing to a stranger %s, and allows no web page', async (_, open) => {
    const answers = await Promise.all(
      listeners.flatMap((listener) =>
        requests.map(async ([method, at]) => ({
          ...listener,
          method,
          at,
          answer: await answerOf(open(listener), method, at),
        })),
      ),
    );
    const refusal = /^HTTP\/1\.[01] (?:400|401|403) /;
    expect(
      answers.filter(({ answer }) => answer.startsWith('HTTP/') && !refusal.test(answer)),
    ).toEqual([]);
    expect(answers.filter(({ answer }) => /^access-control-/im.test(answer))).toEqual([]);
    const ofEtcd = answers.filter(({ of, answer }) => of === 'etcd' && /HTTP\/|etcd/.test(answer));
    expect(ofEtcd).toEqual([]);
  });
});

describe('files on disk', () => {
  const isOthers = (file: string): boolean => (statSync(file).mode & 0o077) !== 0;
  const filesIn = (folder: string): readonly string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !entry.isSymbolicLink())
      .map((entry) => path.join(entry.parentPath, entry.name));

  it('the files of a playground are in folders that other users cannot enter', () => {
    const temporary = path.join(cache, 'temporary');
    const folders = readdirSync(temporary).map((name) => path.join(temporary, name));
    expect(folders).toContain(path.dirname(kubeconfig));
    expect(
      folders.filter((folder) => path.basename(folder).startsWith('swarm-node-')),
    ).toHaveLength(1);
    expect(folders.filter(isOthers)).toEqual([]);
  });

  it('other users can read no file of a playground but certificates', () => {
    const readable = filesIn(path.dirname(kubeconfig)).filter(isOthers);
    expect(readable.filter((file) => !file.endsWith('.crt'))).toEqual([]);
    expect(readable.filter((file) => readFileSync(file, 'utf8').includes('PRIVATE'))).toEqual([]);
  });

  it('only the owner can use the control socket', () => {
    const sockets = filesIn(cache).filter((file) => statSync(file).isSocket());
    expect(sockets).toHaveLength(1);
    expect([...sockets, ...sockets.map((file) => path.dirname(file))].filter(isOthers)).toEqual([]);
  });
});
