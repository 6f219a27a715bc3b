// Does the API server, or the controller manager, answer as it should?
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { errorText } from '../../api/error-text.ts';
import type { Component } from './component.ts';

const pollMilliseconds = 50;
const answerMilliseconds = 2_000;

/** What is still wrong, or undefined when all is well. */
export type ReadinessProblem = string | undefined;

/**
 * Waits until the check finds no problem. Whichever component ends in the meantime is to blame, or
 * the one that has not made it in time.
 */
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

/** Asks on connections of its own, and verifies who answers as every client does. */
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

  async ask(url: string): Promise<ReadinessProblem> {
    try {
      const { statusCode, body } = await request(url, {
        dispatcher: this.#agent,
        headers: { authorization: `Bearer ${this.#token}` },
      });
      await body.dump();
      return statusCode === 200 ? undefined : `${url} answers ${statusCode}`;
    } catch (error) {
      return `${url}: ${errorText(error)}`;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
