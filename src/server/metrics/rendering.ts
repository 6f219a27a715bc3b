// How often are the metrics rendered? Once for all clients that wait, at most once a second, one
// metric after another.
import { setImmediate as turn } from 'node:timers/promises';
import type { Registry } from 'prom-client';

const KEPT_MS = 1_000;
/**
 * How often one address gets the same rendering; after that it waits for the next. Prometheus
 * scrapes once.
 */
const TIMES_EACH = 8;

/** Of the operator's clock. */
export type Time = { monotonic(): number; after(ms: number, run: () => void): unknown };

type Kept = { readonly text: Buffer; readonly at: number; readonly taken: Map<string, number> };

export class Rendering {
  readonly #render: () => Promise<string>;
  readonly #time: Time;
  #kept: Kept | undefined;
  #next: Promise<void> | undefined;

  constructor(render: () => Promise<string>, time: Time) {
    this.#render = render;
    this.#time = time;
  }

  /** Undefined: the client has disconnected. */
  async for(address: string, isGone: () => boolean): Promise<Buffer | undefined> {
    while (!isGone()) {
      const text = this.#take(address);
      if (text !== undefined) return text;
      this.#next ??= this.#make().finally(() => {
        this.#next = undefined;
      });
      await this.#next;
    }
    return undefined;
  }

  #take(address: string): Buffer | undefined {
    const kept = this.#kept;
    const times = kept?.taken.get(address) ?? 0;
    if (kept === undefined || this.#leftMs() <= 0 || times >= TIMES_EACH) return undefined;
    kept.taken.set(address, times + 1);
    return kept.text;
  }

  async #make(): Promise<void> {
    const leftMs = this.#leftMs();
    if (leftMs > 0) await new Promise<void>((resolve) => void this.#time.after(leftMs, resolve));
    const text = Buffer.from(await this.#render());
    this.#kept = { text, at: this.#time.monotonic(), taken: new Map() };
  }

  #leftMs(): number {
    return this.#kept === undefined ? 0 : this.#kept.at + KEPT_MS - this.#time.monotonic();
  }
}

/**
 * The same text as the registry's, one metric after another, so that other work can run in between.
 */
export async function renderInPieces(registry: Registry): Promise<string> {
  const parts: string[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    parts.push(await registry.getSingleMetricAsString(name));
    await turn();
  }
  return `${parts.join('\n\n')}\n`;
}
