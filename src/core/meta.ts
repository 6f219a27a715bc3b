// Which names and labels do we put on what is ours?

export const LABEL_POOL = 'k8slab.info/pool';
export const LABEL_MANAGED_BY = 'app.kubernetes.io/managed-by';
export const MANAGER = 'swarm-operator';

/** On the Lease: which kinds the operator that leads works for, as JSON. */
export const ANNOTATION_KINDS = 'k8slab.info/kinds';

/** On a ConfigMap that was made as a placeholder: this pool may take it over. */
export const ANNOTATION_POOL = 'k8slab.info/pool';
/** On a pool: the on-call's pause, which a spec held in Git does not undo. */
export const ANNOTATION_PAUSED = 'k8slab.info/paused';
/**
 * On the ConfigMap: what its last change was, so that no crash between two writes loses it from the
 * history.
 */
export const ANNOTATION_CHANGE = 'k8slab.info/change';

/** On the ConfigMap: it goes when its pool does (`assignments.whenDeleted: Delete`). */
export const ANNOTATION_WHEN_DELETED = 'k8slab.info/when-deleted';

/** On a ConfigMap in which the pool is published no more: where it is now. */
export const ANNOTATION_MOVED_TO = 'k8slab.info/moved-to';

/**
 * On the ConfigMap: UIDs of pods that were there when their slice last changed, and that only a
 * restart brings up to date.
 */
export const ANNOTATION_OUTDATED = 'k8slab.info/outdated-pods';
/**
 * On the ConfigMap: worker -> version for which it was restarted because it did not take up a
 * reload; once is enough.
 */
export const ANNOTATION_RESTARTED = 'k8slab.info/restarted';

/**
 * On the ConfigMap: workers that were given streams and were never seen Ready; who is seen is
 * struck off.
 */
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
