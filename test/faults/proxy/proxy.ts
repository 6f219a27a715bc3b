// A proxy between an operator and the real API server that recognises each call, and treats it as a
// test says.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { selfSigned } from '../../../src/playground/node/certificate.ts';
import { type Call, callOf } from './call.ts';
import { type Answer, Exchange, type Upstream } from './exchange.ts';
import { Watching } from './watching.ts';

/** Answers the call, or leaves it without an answer. */
export type Disturbance = (exchange: Exchange) => void | Promise<void>;

export type Rule = {
  readonly when: (call: Call) => boolean;
  /** How many calls it applies to; left out: all. */
  readonly times?: number;
  readonly disturb: Disturbance;
};

/** Status 0: this proxy never got a response. */
export type Seen = { readonly call: Call; readonly at: number; status: number };

/** The lines sent in place of an event: itself, none, or more. */
export type Filter = (line: string, call: Call) => readonly string[];

type Active = Rule & { left: number };

export class FaultProxy {
  readonly seen: Seen[] = [];
  /** How often a rule was applied to a call or to an event. */
  injections = 0;
  /** Applied to each event of each watch. */
  filter: Filter | undefined;
  certificate: string;
  readonly #upstream: Upstream;
  readonly #server: Server;
  /** By the client's port: below TLS, where a connection breaks without a closing message. */
  readonly #sockets = new Map<number | undefined, Socket>();
  readonly #watching = new Set<Watching>();
  readonly #lists = new Map<string, Answer>();
  #rules: Active[] = [];

  private constructor(url: string, authority: string) {
    const { cert, key } = selfSigned('localhost');
    this.certificate = cert;
    this.#upstream = { url, authority, agent: new Agent({ keepAlive: true }) };
    this.#server = createServer(
      { cert, key },
      (request, response) => void this.#receive(request, response),
    );
    this.#server.on('connection', (socket: Socket) => {
      const { remotePort } = socket;
      this.#sockets.set(remotePort, socket);
      socket.on('close', () => this.#sockets.delete(remotePort)).on('error', () => undefined);
    });
  }

  static async start(api: {
    readonly url: string;
    readonly authority: string;
  }): Promise<FaultProxy> {
    const proxy = new FaultProxy(api.url, api.authority);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string')
      throw new Error('the proxy does not listen');
    return `https://localhost:${address.port}`;
  }

  /** Applies the first rule that matches a call. */
  addRules(...rules: readonly Rule[]): void {
    this.#rules.push(
      ...rules.map((rule) => ({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY })),
    );
  }

  /** From now on the proxy only forwards. */
  heal(): void {
    this.#rules = [];
    this.filter = undefined;
  }

  get watches(): number {
    return this.#watching.size;
  }

  /** How many lists are stored: of each kind the first since the last reset. */
  get remembered(): number {
    return this.#lists.size;
  }

  forgetLists(): void {
    this.#lists.clear();
  }

  /** A list as it was when it was stored, whatever has changed since. */
  passOlder(exchange: Exchange): void | Promise<void> {
    const older = this.#lists.get(exchange.call.path);
    return older === undefined ? this.pass(exchange) : exchange.relay(older);
  }

  goSilent(): void {
    for (const watching of this.#watching) watching.goSilent();
    this.injections += this.#watching.size;
  }

  /** To every open watch. */
  say(text: string): void {
    for (const watching of this.#watching) watching.say(text);
    this.injections += this.#watching.size;
  }

  breakAll(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  /** A new certificate of a new authority; connections that are open end. */
  rotate(): void {
    const { cert, key } = selfSigned('localhost');
    this.certificate = cert;
    this.#server.setSecureContext({ cert, key });
    this.breakAll();
    this.injections += 1;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.breakAll();
    await closed;
    this.#upstream.agent.destroy();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = callOf(request.method ?? '', request.url ?? '/');
    const { remotePort } = request.socket;
    const breakOff = (): void => void this.#sockets.get(remotePort)?.destroy();
    const seen: Seen = { call, at: performance.now(), status: 0 };
    this.seen.push(seen);
    response
      .on('error', () => undefined)
      .on('finish', () => {
        seen.status = response.statusCode;
      });
    try {
      const parts: Buffer[] = [];
      for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part);
      await this.#answer(
        new Exchange(call, request, response, Buffer.concat(parts), this.#upstream, breakOff),
      );
    } catch {
      // The API server or the client is gone: the other side sees a broken connection.
      breakOff();
    }
  }

  async #answer(exchange: Exchange): Promise<void> {
    const rule = this.#rules.find(({ left, when }) => left > 0 && when(exchange.call));
    if (rule !== undefined) {
      rule.left -= 1;
      this.injections += 1;
      return rule.disturb(exchange);
    }
    return this.pass(exchange);
  }

  /** Forwards the call unchanged. */
  async pass(exchange: Exchange): Promise<void> {
    if (exchange.call.verb === 'watch') return this.#watch(exchange);
    const answer = await exchange.forward();
    const { path, verb } = exchange.call;
    if (verb === 'list' && answer.status === 200 && !this.#lists.has(path))
      this.#lists.set(path, answer);
    exchange.relay(answer);
  }

  async #watch(exchange: Exchange): Promise<void> {
    const { call, response } = exchange;
    const answer = await exchange.open();
    response.writeHead(answer.statusCode ?? 500, {
      'content-type': answer.headers['content-type'] ?? 'application/json',
    });
    response.flushHeaders();
    const watching = new Watching(call, response, (line) => this.#filtered(line, call));
    this.#watching.add(watching);
    response.once('close', () => this.#watching.delete(watching));
    answer.setEncoding('utf8');
    for await (const chunk of answer) watching.take(String(chunk));
    watching.end();
  }

  #filtered(line: string, call: Call): readonly string[] {
    const said = this.filter?.(line, call) ?? [line];
    if (said.length !== 1 || said[0] !== line) this.injections += 1;
    return said;
  }
}
