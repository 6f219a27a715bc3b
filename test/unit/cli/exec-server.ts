// What an API server and a kubelet do for `kubectl exec`, with processes of this machine for those
// of a container.
import { spawn } from 'node:child_process';
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

const V5 = 'v5.channel.k8s.io';

export class ExecServer {
  /** The version that it speaks. */
  protocol = V5;
  /** What the status has in place of the end of the process. */
  problem: string | undefined;
  /** As where the connection is gone, and nobody says so. */
  answersPings = true;
  /** Of the last request. */
  path = '';
  query = new URLSearchParams();
  readonly sizes: string[] = [];
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
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#run(opened));
    });
  }

  /** As a proxy that is ended. */
  breakConnections(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  #run(socket: WebSocket): void {
    socket.on('ping', () => this.answersPings && socket.pong());
    const send = (channel: number, bytes: Buffer): void =>
      socket.send(Buffer.concat([Buffer.of(channel), bytes]));
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
      const causes = [{ reason: 'ExitCode', message: String(code) }];
      const failure = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
      end(code === 0 ? { status: 'Success' } : failure);
    });
  }
}
