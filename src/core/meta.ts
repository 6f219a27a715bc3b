// Which names, labels and annotations does the operator put on its objects?

export const LABEL_POOL = 'k8slab.info/pool';
export const LABEL_MANAGED_BY = 'app.kubernetes.io/managed-by';
export const MANAGER = 'swarm-operator';

/** On the Lease: the kinds that the leading operator works for, as JSON. */
export const ANNOTATION_KINDS = 'k8slab.info/kinds';

/** On a ConfigMap made as a placeholder: this pool may take it over. */
export const ANNOTATION_POOL = 'k8slab.info/pool';
/** On a pool: pauses it, also when a spec held in Git does not. */
export const ANNOTATION_PAUSED = 'k8slab.info/paused';
/** On a ConfigMap: its last change, so that a crash between two writes loses no line of history. */
export const ANNOTATION_CHANGE = 'k8slab.info/change';

/** On a ConfigMap: delete it with its pool (`assignments.whenDeleted: Delete`). */
export const ANNOTATION_WHEN_DELETED = 'k8slab.info/when-deleted';

/** On a ConfigMap that the pool has left: the ConfigMap where it is published now. */
export const ANNOTATION_MOVED_TO = 'k8slab.info/moved-to';

/** On a ConfigMap: UIDs of pods that only a restart brings up to date. */
export const ANNOTATION_OUTDATED = 'k8slab.info/outdated-pods';
/**
 * On a ConfigMap: worker -> version that it was restarted for; it is not restarted twice for one.
 */
export const ANNOTATION_RESTARTED = 'k8slab.info/restarted';

/** On a ConfigMap: workers that were given streams and were never seen Ready. */
export const ANNOTATION_NEVER_READY = 'k8slab.info/never-ready';

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** At most `max` names, and how many more there are: "a, b, c and 12 more". */
export function listed(names: readonly string[], max = 5): string {
  const shown = names.slice(0, max).join(', ');
  return names.length > max ? `${shown} and ${names.length - max} more` : shown;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
