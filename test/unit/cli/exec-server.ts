// What an API server and a kubelet do for `kubectl exec`, with processes of this machine for those
// of a container.
import { spawn } from 'node:child_process';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

const V5 = 'v5.channel.k8s.io';

export class ExecServer {
  /** The version that it speaks. */
  protocol = V5;
  /** What the status has in place of the end of the process. */
  problem: string | undefined;
  /** In place of the exit code of the process. */
  exitCode: string | undefined;
  /** The status line with which it refuses a WebSocket; undefined: it opens one. */
  refusal: string | undefined;
  /** Nothing: as where the connection is gone, and nobody says so. */
  pingAnswer: 'pong' | 'output' | 'nothing' = 'pong';
  /** Of all connections. */
  pings = 0;
  /** Of the last request. */
  path = '';
  query = new URLSearchParams();
  readonly sizes: string[] = [];
  #connection: Duplex | undefined;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    autoPong: false,
    handleProtocols: (offered) => offered.has(this.protocol) && this.protocol,
  });

  constructor(server: Server) {
    server.on('upgrade', (request, socket, head) => {
      const { pathname, searchParams } = new URL(`http://x${request.url}`);
      this.path = pathname;
      this.query = searchParams;
      this.#connection = socket;
      if (this.refusal !== undefined)
        return void socket.end(`HTTP/1.1 ${this.refusal}\r\nConnection: close\r\n\r\n`);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#run(opened));
    });
  }

  /** As for a new test. */
  reset(): void {
    this.protocol = V5;
    this.problem = undefined;
    this.exitCode = undefined;
    this.refusal = undefined;
    this.pingAnswer = 'pong';
    this.pings = 0;
    this.sizes.length = 0;
  }

  get connections(): number {
    return this.#sockets.clients.size;
  }

  /** Sends output in one packet, so that the client reads all of it before it can pause. */
  say(...outputs: readonly (readonly [channel: number, text: string])[]): void {
    this.#connection?.cork();
    for (const socket of this.#sockets.clients)
      for (const [channel, text] of outputs) socket.send(messageOf(channel, Buffer.from(text)));
    this.#connection?.uncork();
  }

  /** As a proxy that is ended. */
  breakConnections(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  #run(socket: WebSocket): void {
    socket.on('ping', () => {
      this.pings += 1;
      if (this.pingAnswer === 'pong') socket.pong();
      if (this.pingAnswer === 'output') send(1, Buffer.from('.'));
    });
    const send = (channel: number, bytes: Buffer): void => socket.send(messageOf(channel, bytes));
    const end = (status: object): void => send(3, Buffer.from(JSON.stringify(status)));
    const { problem } = this;
    if (problem !== undefined) return void end({ status: 'Failure', message: problem });
    const [file = '', ...words] = this.query.getAll('command');
    const child = spawn(file, words);
    child.stdout.on('data', (bytes: Buffer) => send(1, bytes));
    child.stderr.on('data', (bytes: Buffer) => send(2, bytes));
    // The command may have ended before its input.
    child.stdin.on('error', () => undefined);
    if (this.query.get('stdin') !== 'true') child.stdin.end();
    socket.on('close', () => child.kill());
    socket.on('message', (message: Buffer) => {
      const [channel, closed] = message;
      if (channel === 0) child.stdin.write(message.subarray(1));
      if (channel === 4) this.sizes.push(message.subarray(1).toString());
      if (channel === 255 && closed === 0) child.stdin.end();
    });
    child.on('close', (code) => {
      const text = this.exitCode ?? String(code);
      const failure = {
        status: 'Failure',
        reason: 'NonZeroExitCode',
        message: `command terminated with exit code ${text}`,
        details: { causes: [{ reason: 'ExitCode', message: text }] },
      };
      end(code === 0 ? { status: 'Success' } : failure);
    });
  }
}

const messageOf = (channel: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.of(channel), bytes]);
