// What does an operator report in its metrics? The sums over their series.
import { request } from 'undici';
import type { OperatorProcess } from '../../src/playground/operator-process.ts';

export class Figures {
  readonly #lines: readonly string[];

  private constructor(text: string) {
    this.#lines = text.split('\n');
  }

  static async of({ metricsPort }: Pick<OperatorProcess, 'metricsPort'>): Promise<Figures> {
    const { body } = await request(`http://127.0.0.1:${metricsPort}/metrics`);
    return new Figures(await body.text());
  }

  sum(name: string, isMeant: (labels: string) => boolean = () => true): number {
    return this.#lines.reduce((sum, line) => {
      if (!line.startsWith(`${name}{`) && !line.startsWith(`${name} `)) return sum;
      const space = line.lastIndexOf(' ');
      return isMeant(line.slice(name.length, space)) ? sum + Number(line.slice(space + 1)) : sum;
    }, 0);
  }

  /** Writes, without Lease and Events. */
  get writes(): number {
    return this.sum(REQUESTS, isWrite);
  }

  /** By verb and resource, such as "create jobs.batch". */
  get writesByKind(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const line of this.#lines) {
      const [, verb, resource] = /^[^#]*verb="(\w+)".*resource="([^"]+)"/.exec(line) ?? [];
      if (!line.startsWith(REQUESTS) || !isWrite(line) || verb === undefined) continue;
      const kind = `${verb} ${resource}`;
      counts.set(kind, (counts.get(kind) ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1)));
    }
    return counts;
  }

  get requests(): number {
    return this.sum(REQUESTS);
  }
}

const REQUESTS = 'swarm_operator_api_requests_total';
const isWrite = (labels: string): boolean =>
  /verb="(create|update|patch|delete)"/.test(labels) && !/resource="(leases|events)/.test(labels);

/** Of so many lives, by verb and resource: "1.0 create jobs". */
export function writesText(before: Figures, after: Figures, lives: number): string {
  const earlier = before.writesByKind;
  return [...after.writesByKind]
    .map(([kind, count]): [string, number] => [kind, (count - (earlier.get(kind) ?? 0)) / lives])
    .filter(([, count]) => count >= 0.005)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count.toFixed(2)} ${kind}`)
    .join(', ');
}

const LOOK_MS = 500;
/**
 * The metrics of ten thousand pools have 300,000 lines: reading them all the time would dominate
 * the measurement.
 */
const LOOK_SHARE = 0.1;

export async function untilFigure(
  operator: OperatorProcess,
  what: string,
  isThere: (figures: Figures) => boolean,
  seconds: number,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const asked = performance.now();
    if (isThere(await Figures.of(operator))) return;
    const now = performance.now();
    if (now > deadline) throw new Error(`after ${seconds} s still not: ${what}`);
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(LOOK_MS, (now - asked) / LOOK_SHARE)),
    );
  }
}
