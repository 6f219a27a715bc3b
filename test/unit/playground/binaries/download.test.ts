// Released binaries, from a local server that has them at the publishers' paths.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { kubernetesVersion } from '../../../../src/playground/binaries/releases.ts';
import { selfSigned } from '../../../../src/playground/node/certificate.ts';
import { Machine, pathOf, released, sha256 } from './machine.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let machine: Machine;

beforeEach(() => {
  machine = new Machine();
});

afterEach(() => machine.end());

const kubectl = released('kubectl');
const etcd = released('etcd');
const script = '#!/bin/sh\necho kubectl\n';
const partial = (): string => path.join(machine.cacheFolder, '.partial-kubectl');

/** By path; the other paths do not exist. */
async function serve(answers: Readonly<Record<string, string | Buffer | Answer>>) {
  const asked: string[] = [];
  const handle: Answer = (request, response) => {
    const { url = '', headers } = request;
    asked.push([url, headers.range].filter(Boolean).join(' '));
    const answer = answers[url];
    if (typeof answer === 'function') answer(request, response);
    else response.writeHead(answer === undefined ? 404 : 200).end(answer);
  };
  return { handle, asked, url: `http://127.0.0.1:${await machine.listen(createServer(handle))}` };
}

/** As servers do: the part behind the first bytes. */
const fromByte =
  (content: string, breaksAfter?: number): Answer =>
  ({ headers }, response) => {
    const start = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    if (start >= content.length) {
      response.writeHead(416).end();
      return;
    }
    response.writeHead(start > 0 ? 206 : 200, {
      'content-length': content.length - start,
      ...(start > 0 && {
        'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
      }),
    });
    if (breaksAfter === undefined) response.end(content.slice(start));
    else
      response.write(content.slice(start, start + breaksAfter), () =>
        response.socket?.destroySoon(),
      );
  };

const pins = (content: string | Buffer, url = kubectl.url) => ({ [url]: sha256(content) });

describe('a download', () => {
  it('a download keeps files with the pinned checksum, fetches an archive once, and leaves nothing else', async () => {
    const archive = machine.archive(['etcd', 'etcdutl']);
    const server = await serve({ [pathOf(kubectl.url)]: script, [pathOf(etcd.url)]: archive });
    const download = machine.download(server.url, {
      ...pins(script),
      ...pins(archive, etcd.url),
    });
    const found = await machine.find(['kubectl', 'etcd', 'etcdutl'], { download });
    expect(execFileSync(found.kubectl, { encoding: 'utf8' })).toBe('kubectl\n');
    expect(execFileSync(found.etcd, { encoding: 'utf8' })).toBe('etcd\n');
    expect(execFileSync(found.etcdutl, { encoding: 'utf8' })).toBe('etcdutl\n');
    expect(machine.cached()).toEqual(['etcd', 'etcdutl', 'kubectl']);
    expect(server.asked.sort()).toEqual([pathOf(kubectl.url), pathOf(etcd.url)].sort());
    expect(machine.output).toMatch(
      /^downloading kubectl, etcd, etcdutl v[\d.]+: done after \d+ s$/m,
    );
  });

  it('a download fetches several files at once, and shows the bytes of all', async () => {
    const waiting: (() => void)[] = [];
    const answer: Answer = (_, response) => {
      response.writeHead(200, { 'content-length': 3_000_000 });
      response.write(Buffer.alloc(1_000_000));
      waiting.push(() => response.end(Buffer.alloc(2_000_000)));
      if (waiting.length === 2)
        setImmediate(() => {
          for (const end of waiting) end();
        });
    };
    const scheduler = released('kube-scheduler');
    const server = await serve({ [pathOf(kubectl.url)]: answer, [pathOf(scheduler.url)]: answer });
    const content = Buffer.alloc(3_000_000);
    const download = machine.download(server.url, {
      ...pins(content),
      ...pins(content, scheduler.url),
    });
    const { downloadBinaries } = await import('../../../../src/playground/binaries/download.ts');
    mkdirSync(machine.cacheFolder);
    const shown: string[] = [];
    const names = ['kubectl', 'kube-scheduler'] as const;
    const platform = { os: 'linux', arch: 'amd64' };
    await downloadBinaries(names, machine.cacheFolder, platform, download, (text) =>
      shown.push(text),
    );
    expect(machine.cached()).toEqual(['kube-scheduler', 'kubectl']);
    expect(shown.at(-1)).toBe('6 of 6 MB');
    expect(shown).toContain('2 of 6 MB');
  });

  it('a download continues where the connection broke, each time', async () => {
    const large = `${script}${'#'.repeat(3_000_000)}`;
    const server = await serve({ [pathOf(kubectl.url)]: fromByte(large, 1_000_000) });
    const download = machine.download(server.url, pins(large));
    const found = await machine.find(['kubectl'], { download });
    expect(readFileSync(found.kubectl, 'utf8')).toBe(large);
    const starts = server.asked.map((asked) => Number(/bytes=(\d+)-/.exec(asked)?.[1] ?? 0));
    expect(starts.length).toBeGreaterThan(3);
    // A connection may also break before its first byte.
    expect(starts).toEqual([...starts].sort((x, y) => x - y));
  });

  it('a download continues a partial file, and takes a whole file from a server without ranges', async () => {
    for (const answer of [fromByte(script), script]) {
      mkdirSync(machine.cacheFolder, { recursive: true });
      writeFileSync(partial(), script.slice(0, 5));
      const server = await serve({ [pathOf(kubectl.url)]: answer });
      const found = await machine.find(['kubectl'], {
        download: machine.download(server.url, pins(script)),
      });
      expect(server.asked).toEqual([`${pathOf(kubectl.url)} bytes=5-`]);
      expect(readFileSync(found.kubectl, 'utf8')).toBe(script);
      machine.end();
      machine = new Machine();
    }
  });

  it.each([
    ['is damaged', '#!/xx'],
    ['is longer than the file', `${script}${script}`],
  ])('a download begins again when the partial file %s', async (_, left) => {
    mkdirSync(machine.cacheFolder);
    writeFileSync(partial(), left);
    const server = await serve({ [pathOf(kubectl.url)]: fromByte(script) });
    const found = await machine.find(['kubectl'], {
      download: machine.download(server.url, pins(script)),
    });
    expect(readFileSync(found.kubectl, 'utf8')).toBe(script);
    expect(server.asked.at(-1)).toBe(pathOf(kubectl.url));
  });

  it('a download fails when the connection breaks again and again without a byte', async () => {
    let first = true;
    const answer: Answer = (request, response) => {
      if (first) fromByte('x'.repeat(2_000_000), 1_000_000)(request, response);
      else request.socket.destroy();
      first = false;
    };
    const server = await serve({ [pathOf(kubectl.url)]: answer });
    const download = machine.download(server.url, pins(script));
    await expect(machine.find(['kubectl'], { download })).rejects.toThrow(
      /by download \(http.*kubectl: /,
    );
    // The first, three after a pause each, and no more.
    expect(server.asked).toHaveLength(4);
    expect(machine.cached()).toEqual(['.partial-kubectl']);
  });

  it('a download refuses a file with another checksum by its name, after one try', async () => {
    const server = await serve({ [pathOf(kubectl.url)]: 'forged' });
    const download = machine.download(server.url, pins('released'));
    await expect(machine.find(['kubectl'], { download })).rejects.toThrow(
      `/kubectl was refused: its SHA-256 is ${sha256('forged')}, but the pinned one is ${sha256('released')}`,
    );
    expect(machine.cached()).toEqual([]);
    expect(server.asked).toHaveLength(1);
  });

  it('a download does not repeat a request that the server refuses', async () => {
    const server = await serve({});
    const download = machine.download(server.url, pins(script));
    await expect(machine.find(['kubectl'], { download })).rejects.toThrow('it answered 404');
    expect(server.asked).toHaveLength(1);
  });

  it('nothing is downloaded on a system without released server binaries', async () => {
    const platform = { os: 'darwin', arch: 'arm64' };
    await machine.find(['kubectl'], { platform, go: machine.fakeGo() });
    expect(machine.output).toContain('released for linux only, not for darwin');
  });

  it('a download gives up on a server that accepts the connection and does not answer', async () => {
    const silent = await machine.listen(createTcpServer(() => undefined));
    const download = {
      ...machine.download(`https://127.0.0.1:${silent}`, pins(script)),
      connectTimeoutMilliseconds: 300,
    };
    await expect(machine.find(['kubectl'], { download })).rejects.toThrow(/Timeout/i);
  });
});

describe('a checksum that only its publisher tells', () => {
  const server = selfSigned('localhost', ['127.0.0.1']);
  const trusted = getCACertificates('default');

  beforeEach(() => setDefaultCACertificates([...trusted, server.cert]));
  afterEach(() => setDefaultCACertificates(trusted));

  async function overTls(answers: Parameters<typeof serve>[0]) {
    const { handle, asked } = await serve(answers);
    return {
      asked,
      url: `https://127.0.0.1:${await machine.listen(createTlsServer(server, handle))}`,
    };
  }

  it('a checksum of the publisher alone is read over TLS, and the screen says so', async () => {
    const helm = released('helm');
    const archive = machine.archive(['helm']);
    const { url } = await overTls({
      [pathOf(kubectl.url)]: script,
      [pathOf(kubectl.checksumUrl)]: `${sha256(script)}\n`,
      [pathOf(helm.url)]: archive,
      [pathOf(helm.checksumUrl)]: `${sha256(archive)}  ${path.basename(helm.url)}\n`,
    });
    await machine.find(['kubectl', 'helm'], { download: machine.download(url) });
    expect(machine.cached()).toEqual(['helm', 'kubectl']);
    expect(machine.output).toContain(
      "No second source has the checksum of kubectl, helm: verified only by the publisher's own checksum, read over TLS.",
    );
  });

  it("a file with another checksum than the publisher's is refused", async () => {
    const { url } = await overTls({
      [pathOf(kubectl.url)]: 'forged',
      [pathOf(kubectl.checksumUrl)]: sha256(script),
    });
    await expect(machine.find(['kubectl'], { download: machine.download(url) })).rejects.toThrow(
      `/kubectl was refused: its SHA-256 is ${sha256('forged')}, but the publisher has ${sha256(script)}`,
    );
  });

  it.each([
    ['a page', '<html>'],
    ['a list of other files', `${sha256('x')}  other\n${sha256('y')}  more\n`],
  ])('a checksum is not read from %s', async (_, answer) => {
    const { url } = await overTls({ [pathOf(kubectl.checksumUrl)]: answer });
    await expect(machine.find(['kubectl'], { download: machine.download(url) })).rejects.toThrow(
      `.sha256 has no SHA-256 for ${kubectl.url}`,
    );
  });

  it('a checksum is not read without TLS, nor where a redirection leads away from it', async () => {
    const plain = await serve({ [pathOf(kubectl.checksumUrl)]: sha256(script) });
    const secure = await overTls({
      [pathOf(kubectl.checksumUrl)]: (_, response) =>
        response.writeHead(302, { location: `${plain.url}${pathOf(kubectl.checksumUrl)}` }).end(),
    });
    for (const url of [plain.url, secure.url])
      await expect(machine.find(['kubectl'], { download: machine.download(url) })).rejects.toThrow(
        'a checksum from the publisher is trusted only over https',
      );
    expect(plain.asked).toEqual([]);
  });
});

describe('settings of a proxy', () => {
  const variables = [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
  ];
  const before = variables.map((name) => [name, process.env[name]] as const);

  afterEach(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });

  /** It passes on what it is asked for, with or without a tunnel, and remembers to where. */
  async function startProxy() {
    const asked: string[] = [];
    const proxy = createServer(({ url = '' }, response) => {
      asked.push(new URL(url).host);
      request(url, (answer) => answer.pipe(response)).end();
    });
    proxy.on('connect', ({ url = '' }, client) => {
      asked.push(url);
      const server = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        server.pipe(client);
        client.pipe(server);
      });
      client.on('error', () => server.destroy());
      server.on('error', () => client.destroy());
    });
    return { asked, url: `http://127.0.0.1:${await machine.listen(proxy)}` };
  }

  it.each([
    ['are followed', '', true],
    ['are not followed for hosts of NO_PROXY', '127.0.0.1', false],
  ])('settings of a proxy %s', async (_, exceptions, isUsed) => {
    for (const name of variables) delete process.env[name];
    const server = await serve({ [pathOf(kubectl.url)]: script });
    const proxy = await startProxy();
    Object.assign(process.env, {
      HTTP_PROXY: proxy.url,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: exceptions,
    });
    await machine.find(['kubectl'], { download: machine.download(server.url, pins(script)) });
    expect(proxy.asked).toEqual(isUsed ? [server.url.replace('http://', '')] : []);
  });
});

it(`the URLs have the paths of the publishers' servers`, () => {
  expect(kubectl).toEqual({
    url: `https://dl.k8s.io/release/${kubernetesVersion}/bin/linux/amd64/kubectl`,
    member: undefined,
    checksumUrl: `https://dl.k8s.io/release/${kubernetesVersion}/bin/linux/amd64/kubectl.sha256`,
  });
});
