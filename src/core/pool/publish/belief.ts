// Which versions are believed that others tell? Whoever may change a ConfigMap or a pod writes any; a worker answers any.
import { HIGHEST_VERSION, readAssigned } from '../../../api/assignment.ts';
import type { ConfigMap, Pod } from '../../../api/observed.ts';
import { ANNOTATION_CHANGE } from '../../meta.ts';
import type { Answer } from '../workers/members.ts';
import { changeOf, type PublishedShard } from './published.ts';

/**
 * Two versions a second, day and night, come here in 1,500 years. So far everything is believed, since workers may follow it, and then they follow nothing
 * below it; and a pool that was driven here by a lie can count on for nine times as long.
 */
export const FARTHEST_BELIEVED = HIGHEST_VERSION / 10;
/** Published since status was written last. */
const MOST_UNTOLD = 1_000;

/** `record`: the version in status, which none but the operator writes. */
export const isBelieved = (version: number, record: number): boolean =>
  version < HIGHEST_VERSION && version <= Math.max(FARTHEST_BELIEVED, record + MOST_UNTOLD);

/** What stands there under another version cannot be read, and a note of it is none. */
export function believedShard(shard: PublishedShard, record: number): PublishedShard {
  const { read, configMap } = shard;
  const isLie = read?.ok === true && !isBelieved(read.assignment.version, record);
  const noted = changeOf(configMap)?.version ?? 0;
  if (!isLie && isBelieved(noted, record)) return shard;
  return {
    ...shard,
    ...(isLie && { read: { ok: false, problem: 'its version is far beyond any that was published' } as const }),
    ...(!isBelieved(noted, record) && { configMap: withoutNote(configMap) }),
  };
}

/** Empty, it is found as one that cannot be read, and is taken away. */
const withoutNote = (configMap: ConfigMap): ConfigMap => ({
  ...configMap,
  annotations: { ...configMap.annotations, [ANNOTATION_CHANGE]: '' },
});

/** As if it had not been told anything: then it is told anew. */
export function believedPod(pod: Pod, record: number): Pod {
  const told = readAssigned(pod.assigned);
  return told === undefined || isBelieved(told.version, record) ? pod : { ...pod, assigned: undefined };
}

export function believedAnswer(answer: Answer, record: number): Answer {
  if (!answer.ok) return answer;
  const { version, read = 0 } = answer.report;
  const highest = Math.max(version, read);
  if (isBelieved(highest, record)) return answer;
  return {
    ok: false,
    reason: `it follows version ${highest}, and nothing can be published above that; delete its pod, and the next follows what is published`,
  };
}
