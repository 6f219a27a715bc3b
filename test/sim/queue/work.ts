// What does the command of a job do? Its pods say so in their arguments.
import { asList, asRecord, asString, dig, type KubeObject } from '../../../src/api/objects.ts';

export type Work = {
  /** Left out: it runs until it is ended. */
  readonly forMs?: number;
  /** Left out: 0. */
  readonly exitCode?: number;
  /** So many attempts end with exit code 3, after `forMs` or half a second. */
  readonly failsFirst?: number;
  readonly startsInMs?: number;
  readonly readyInMs?: number;
  /** How long it takes to end after SIGTERM. */
  readonly endsInMs?: number;
  /** After SIGTERM it ends with exit code 0. */
  readonly endsWell?: boolean;
  /** No node takes it, or its image is not there. */
  readonly never?: 'bound' | 'started';
};

export const argsOf = (work: Work): readonly string[] => [JSON.stringify(work)];

export function workIn(pod: KubeObject): Work {
  const [main] = asList(dig(pod, 'spec', 'containers'));
  const text = asString(asList(dig(main, 'args'))[0]) ?? '{}';
  return (asRecord(JSON.parse(text)) ?? {}) as Work;
}

/** Left to itself it ends, this time at least. */
export const endsByItself = ({ forMs, failsFirst = 0 }: Work, attempt: number): boolean =>
  forMs !== undefined || attempt <= failsFirst;
