// What can happen to one request? The proxy forwards it, answers in the server's place, or loses
// it.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Agent, request as requestOver } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from './call.ts';

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Upstream = { readonly url: string; readonly authority: string; readonly agent: Agent };

export class Exchange {
  readonly call: Call;
  readonly response: ServerResponse;
  readonly #request: IncomingMessage;
  readonly #body: Buffer;
  readonly #upstream: Upstream;
  /** Closes the connection without a response. */
  readonly breakOff: () => void;

  constructor(
    call: Call,
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    upstream: Upstream,
    breakOff: () => void,
  ) {
    this.breakOff = breakOff;
    this.call = call;
    this.response = response;
    this.#request = request;
    this.#body = body;
    this.#upstream = upstream;
  }

  /** The beginning of the API server's response; the client has not received it yet. */
  open(): Promise<IncomingMessage> {
    const { url, authority, agent } = this.#upstream;
    const { host: _, connection: __, 'accept-encoding': ___, ...headers } = this.#request.headers;
    const options = {
      method: this.#request.method,
      headers: { ...headers, connection: 'keep-alive' },
      ca: authority,
      agent,
    };
    return new Promise((resolve, reject) => {
      const sent = requestOver(new URL(this.call.path, url), options, resolve);
      sent.on('error', reject);
      // When the client is gone, the server need not answer. A write that was sent is carried out
      // all the same.
      if (!this.call.isWrite) this.response.once('close', () => sent.destroy());
      sent.end(this.#body);
    });
  }

  /** The whole response, after the server has carried out the request. */
  async forward(): Promise<Answer> {
    const answer = await this.open();
    const parts: Buffer[] = [];
    for await (const part of answer) if (Buffer.isBuffer(part)) parts.push(part);
    return {
      status: answer.statusCode ?? 500,
      headers: answer.headers,
      body: Buffer.concat(parts),
    };
  }

  relay({ status, headers, body }: Answer): void {
    const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...rest } = headers;
    this.response.writeHead(status, { ...rest, 'content-length': body.length }).end(body);
  }

  refuse(
    status: number,
    reason: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const body = JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: status,
      reason,
      message,
    });
    this.response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  }

  /** Announces the whole response, sends half of it, and closes the connection. */
  async cutInHalf({ status, headers, body }: Answer): Promise<void> {
    const { 'transfer-encoding': _, ...rest } = headers;
    this.response.writeHead(status, { ...rest, 'content-length': body.length });
    this.response.write(body.subarray(0, Math.floor(body.length / 2)));
    // Half of it is to arrive.
    await delay(20);
    this.breakOff();
  }
}
