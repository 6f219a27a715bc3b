// Is a group left alone that nobody can go by, and is it told what is wrong? Of a schedule that is
// none: where it stands, and its text.
import { kinds } from '../../../../src/api/kinds.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { groupRef, kindNamed } from '../manifests.ts';
import { type Problem, problem } from './checks/problem.ts';
import { namedIn } from './holders.ts';
import { conditionIn, replicasIn } from './scene.ts';
import { wrongSchedules } from './wanted.ts';

/** What has lasted so long the operator knows, and has told. */
const KNOWN_MS = 1_000;
const LAG_MS = 3_000;

export class Blocked {
  #since: number | undefined;
  #sizes = '';

  /** Nothing proves anything until now. */
  interrupt(now: number): void {
    if (this.#since !== undefined) this.#since = now;
  }

  /** `isOperators`: it wrote, and nothing keeps it from its work. */
  take(server: ApiServer, now: number, isOperators: boolean): readonly Problem[] {
    const group = server.find(kinds.SwarmGroup, groupRef);
    const wrong = group === undefined ? [] : wrongSchedules(group);
    if (group === undefined || wrong.length === 0) {
      this.#since = undefined;
      return [];
    }
    const before = this.#sizes;
    this.#sizes = namedIn(server, group)
      .map(({ kind, name }) => {
        const ref = { namespace: NAMESPACE, name: String(name) };
        const member = server.find(kindNamed(String(kind)), ref);
        return `${name} ${member?.metadata.uid} ${member && replicasIn(member)}`;
      })
      .join();
    this.#since ??= now;
    const lastedMs = now - this.#since;
    const isScaled = isOperators && lastedMs >= KNOWN_MS && before !== this.#sizes;
    const { status, message } = conditionIn(group['status'], 'Stalled');
    const untold = wrong.filter((words) => !words.every((word) => message.includes(word)));
    const isTold = status === 'True' && untold.length === 0;
    return [
      ...(isScaled ? [problem('blocked', 'scaled', `${before} became ${this.#sizes}`)] : []),
      ...(isTold || lastedMs < LAG_MS
        ? []
        : [problem('blocked', 'told', `${wrong.join('; ')}: Stalled is ${status}: ${message}`)]),
    ];
  }
}
