// What is a pod, whatever its labels say later? Who made it, for which run of which batch Job, and
// how it ended.
import { asList, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import type { BatchFacts, Run } from './batch-jobs.ts';

type Marks = Readonly<Record<string, string>>;

export type Amounts = { readonly pods: number; readonly cpu: number };

/** Mutable: the newest state of one pod. */
export type PodFacts = {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly batch: BatchFacts;
  readonly run: Run;
  readonly rank: string | undefined;
  readonly createdMs: number;
  readonly amounts: Amounts;
  /** Labels and annotations that it was created with. */
  readonly marks: Marks;
  /** A user has removed its owner, a label or an annotation. */
  isTouched: boolean;
  /** Its owner or its labels still say where it belongs. */
  isKnown: boolean;
  isAlive: boolean;
  /** To end, while it lived. */
  wasTold: boolean;
  endedWell: boolean;
  /** Its containers have run. */
  hasRun: boolean;
  /** It has the addresses of all ranks, for which it waited. */
  mayBegin: boolean;
};

const OWNER_LABEL = 'batch.kubernetes.io/controller-uid';
const RANK = 'batch.kubernetes.io/job-completion-index';
const ADDRESSES = 'k8slab.info/addresses';

export const ownerOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;

/** Of a pod whose owner was removed before the witness saw it: by the label of Kubernetes. */
export const batchUidOf = (pod: KubeObject): string =>
  ownerOf(pod) ?? pod.metadata.labels?.[OWNER_LABEL] ?? '';

export function newPod(pod: KubeObject, batch: BatchFacts, run: Run, createdMs: number): PodFacts {
  const { name, namespace = '', uid = '', annotations } = pod.metadata;
  return {
    ...{ uid, name, namespace, batch, run, createdMs },
    rank: annotations?.[RANK],
    amounts: { pods: 1, cpu: cpuOf(pod) },
    marks: marksOf(pod),
    ...{ isTouched: false, isKnown: true, isAlive: true, wasTold: false, endedWell: false },
    ...{ hasRun: false, mayBegin: false },
  };
}

/** `isDeleted`: the object is gone. */
export function updatePod(facts: PodFacts, pod: KubeObject, isDeleted: boolean): void {
  const isOwned = ownerOf(pod) === facts.batch.uid;
  const marks = marksOf(pod);
  const isMarked = Object.entries(facts.marks).every(([name, value]) => marks[name] === value);
  // The garbage collector removes the owner of the pods of a Job that is deleted as an orphan.
  if (!isMarked || (!isOwned && !facts.batch.isDeleting)) facts.isTouched = true;
  facts.isKnown = isOwned || isMarked;
  if (facts.isAlive && isToldToEnd(pod)) facts.wasTold = true;
  const phase = asString(dig(pod, 'status', 'phase')) ?? '';
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  if (phase === 'Running' || hasEnded) facts.hasRun = true;
  if ((pod.metadata.annotations?.[ADDRESSES] ?? '') !== '') facts.mayBegin = true;
  // Told in the same moment: the operator cannot know what was first, either.
  if (facts.isAlive) facts.endedWell = phase === 'Succeeded' && !facts.wasTold;
  facts.isAlive = !hasEnded && !isDeleted;
}

/** A deletion, an eviction or a preemption. */
const isToldToEnd = ({ metadata, status }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined ||
  asList(dig(status, 'conditions')).some(
    (it) => dig(it, 'type') === 'DisruptionTarget' && dig(it, 'status') === 'True',
  );

/** The operator writes the addresses later. */
function marksOf({ metadata: { labels, annotations = {} } }: KubeObject): Marks {
  const { [ADDRESSES]: _, ...others } = annotations;
  return { ...labels, ...others };
}

function cpuOf(pod: KubeObject): number {
  const containers = dig(pod, 'spec', 'containers');
  const all = Array.isArray(containers) ? containers : [];
  return all.reduce((sum, it) => sum + milliCpu(dig(it, 'resources', 'requests', 'cpu')), 0);
}

/** The walk writes no other forms. */
export function milliCpu(quantity: unknown): number {
  const text = String(quantity ?? '0');
  return text.endsWith('m') ? Number(text.slice(0, -1)) : 1_000 * Number(text);
}
