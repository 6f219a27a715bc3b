// Does the API server, or the controller manager, answer as it should?
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { boundedRequest } from '../../runtime/client/bounded-request.ts';
import type { Component } from './component.ts';

const pollMilliseconds = 50;
const bounds = { answerMs: 2_000, mostBytes: 1024 * 1024 };

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
      connect: { ca: authority, timeout: bounds.answerMs },
    });
    this.#token = token;
  }

  async ask(url: string): Promise<ReadinessProblem> {
    const answer = await boundedRequest(url, {
      ...bounds,
      wants200: true,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#token}` },
    });
    return answer.ok ? undefined : `${url}: ${answer.reason}`;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
