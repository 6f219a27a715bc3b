// Waiting until the components of a control plane answer.
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { boundedRequest } from '../../runtime/client/bounded-request.ts';
import type { Component } from './component.ts';

const pollMilliseconds = 50;
const bounds = { answerMs: 2_000, mostBytes: 1024 * 1024 };

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
      connect: { ca: authority, timeout: bounds.answerMs },
    });
    this.#token = token;
  }

  async problemOf(url: string): Promise<ReadinessProblem> {
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
