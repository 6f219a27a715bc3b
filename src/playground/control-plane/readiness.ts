// Waiting until the components of a control plane answer.
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { messageOf } from '../failure.ts';
import type { Component } from './component.ts';

const pollMilliseconds = 50;
const answerMilliseconds = 2_000;

/** What is still wrong, or undefined when all is well. */
export type ReadinessProblem = string | undefined;

/** Throws with the log of a component that ends meanwhile, or of `awaited` after the deadline. */
export async function waitUntil(
  check: () => Promise<ReadinessProblem> | ReadinessProblem,
  awaited: Component,
  needed: readonly Component[],
  deadline: number,
): Promise<void> {
  for (let problem = await check(); problem !== undefined; problem = await check()) {
    for (const component of [awaited, ...needed])
      if (!component.running) throw component.failure('is needed, but has ended');
    if (performance.now() > deadline) throw awaited.failure(`is not ready in time: ${problem}`);
    await delay(pollMilliseconds);
  }
}

export class Prober {
  readonly #agent: Agent;
  readonly #token: string;

  constructor(authority: string, token: string) {
    this.#agent = new Agent({
      connect: { ca: authority, timeout: answerMilliseconds },
      headersTimeout: answerMilliseconds,
      bodyTimeout: answerMilliseconds,
    });
    this.#token = token;
  }

  async problemOf(url: string): Promise<ReadinessProblem> {
    try {
      const { statusCode, body } = await request(url, {
        dispatcher: this.#agent,
        headers: { authorization: `Bearer ${this.#token}` },
      });
      await body.dump();
      return statusCode === 200 ? undefined : `${url} answers ${statusCode}`;
    } catch (error) {
      return `${url}: ${messageOf(error)}`;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
