// Is an invalid group left alone, and does status say what is wrong? For a schedule: where it is,
// and its text.
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { groupRef, kindNamed } from '../manifests.ts';
import { Ages } from './ages.ts';
import { type Problem, problem } from './checks/problem.ts';
import { namedIn } from './holders.ts';
import { conditionIn, replicasIn } from './scene.ts';
import { wrongSchedules } from './wanted.ts';

/** What has lasted so long the operator knows, and has told. */
const KNOWN_MS = 1_000;
const LAG_MS = 3_000;

export class Blocked {
  #since: number | undefined;
  /** By where it is and its text: a user may replace one invalid schedule by another. */
  readonly #wrong = new Ages();
  /** By kind and name of each member that no other group has. */
  #sizes: ReadonlyMap<string, string> = new Map();

  /** Nothing proves anything until now. */
  interrupt(now: number): void {
    if (this.#since !== undefined) this.#since = now;
    this.#wrong.forget();
  }

  /** `isOperators`: it wrote, and nothing keeps it from its work. */
  take(server: ApiServer, now: number, isOperators: boolean): readonly Problem[] {
    const group = server.find(kinds.SwarmGroup, groupRef);
    const wrong = group === undefined ? [] : wrongSchedules(group);
    if (group === undefined || wrong.length === 0) {
      this.#since = undefined;
      this.#wrong.forget();
      this.#sizes = new Map();
      return [];
    }
    const before = this.#sizes;
    this.#sizes = sizesOf(server, group);
    const scaled = [...this.#sizes].flatMap(([key, size]) => {
      const had = before.get(key) ?? size;
      return had === size ? [] : [`${key}: ${had} became ${size}`];
    });
    this.#since ??= now;
    const lastedMs = now - this.#since;
    const isScaled = isOperators && lastedMs >= KNOWN_MS && scaled.length > 0;
    const { status, message } = conditionIn(group['status'], 'Stalled');
    const ages = this.#wrong.ofAll(wrong.map(String), now);
    const isLate = (words: readonly string[]): boolean => (ages.get(String(words)) ?? 0) >= LAG_MS;
    const untold = wrong.filter((words) => !words.every((word) => message.includes(word)));
    const isUntold = (status !== 'True' && lastedMs >= LAG_MS) || untold.some(isLate);
    return [
      ...(isScaled ? [problem('blocked', 'scaled', scaled.join())] : []),
      ...(isUntold
        ? [problem('blocked', 'told', `${wrong.join('; ')}: Stalled is ${status}: ${message}`)]
        : []),
    ];
  }
}

/** A blocked group holds no member: another group that has them, too, may scale them. */
function sizesOf(server: ApiServer, group: KubeObject): ReadonlyMap<string, string> {
  const keysOf = (it: KubeObject): readonly string[] =>
    namedIn(server, it).map(({ kind, name }) => `${kind}/${name}`);
  const others = server
    .all({ kind: kinds.SwarmGroup, namespace: NAMESPACE })
    .filter(({ metadata }) => metadata.uid !== group.metadata.uid);
  const isOthers = new Set(others.flatMap(keysOf));
  return new Map(
    namedIn(server, group)
      .map(({ kind, name }) => ({ kind: String(kind), name: String(name) }))
      .filter(({ kind, name }) => !isOthers.has(`${kind}/${name}`))
      .map(({ kind, name }) => {
        const member = server.find(kindNamed(kind), { namespace: NAMESPACE, name });
        return [`${kind}/${name}`, `${member?.metadata.uid} ${member && replicasIn(member)}`];
      }),
  );
}
