// What does an operator say of itself? Its metrics, summed over their series.
import { request } from 'undici';
import type { OperatorProcess } from '../src/playground/operator-process.ts';
import { eventually } from '../test/support/processes.ts';

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

  /** Requests that change something, the Lease and events aside. */
  get writes(): number {
    return this.sum(
      'swarm_operator_api_requests_total',
      (labels) => /verb="(create|update|patch|delete)"/.test(labels) && !/resource="(leases|events)/.test(labels),
    );
  }

  get requests(): number {
    return this.sum('swarm_operator_api_requests_total');
  }
}

export async function untilFigure(
  operator: OperatorProcess,
  what: string,
  isThere: (figures: Figures) => boolean,
  seconds: number,
): Promise<void> {
  await eventually(what, async () => isThere(await Figures.of(operator)), seconds);
}
