// Do tests notice when the operator overlooks that etcd was restored from a snapshot, or trusts
// outdated views?
import type { Mutant } from './mutant.ts';

const watch = ['unit/runtime/watch/watcher.restored'];
const handoff = ['unit/pool/publish/handoff'];

export const restoredMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/watch/watcher.ts',
    find: 'this.#state = compared(this.#state, isNewer(least, version));',
    put: 'this.#state = compared(this.#state, false);',
    what: 'a watch resumes from a version that the restored server has not reached yet',
    tests: ['unit/runtime/watch/watcher.restored', 'unit/runtime/watch/watcher.gaps'],
  },
  {
    file: 'src/runtime/watch/watcher.ts',
    find: 'isTold || isOlder || this.#known.isSetBack(listing);',
    put: 'isTold || isOlder;',
    what: 'the watcher refuses restored objects as old, although their list is newer',
    tests: watch,
  },
  {
    file: 'src/runtime/watch/watcher.ts',
    find: 'return isNewer(this.#written, this.#seen) ? this.#written : this.#seen;',
    put: 'return this.#seen;',
    what: 'the operator’s own write counts as newer than the list after a restoration has undone it',
    tests: watch,
  },
  {
    file: 'src/runtime/lease.ts',
    find: 'if (this.#isUndone(lease)) return this.isLeading;',
    put: '',
    what: 'another replica takes a restored Lease while the leader still leads',
    tests: ['unit/runtime/lease'],
  },
  {
    file: 'src/runtime/store/config-maps.ts',
    find: 'if (isGone || isRestored) this.#read.delete(key);',
    put: 'if (isGone) this.#read.delete(key);',
    what: 'the cache trusts a ConfigMap whose resourceVersion was reused after a restoration',
    tests: ['unit/runtime/store/config-maps'],
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: 'if (isRewound ? mayRun(pod) : mayStillStartUnknown(worker, slice, isEdited))',
    put: 'if (mayStillStartUnknown(worker, slice, isEdited))',
    what: 'after a restoration, streams that a worker got since the snapshot are assigned to another worker',
    tests: handoff,
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: 'if (isRewound && mayRun(pod)) return true;',
    put: '',
    what: 'after a restoration, Exclusive publishes before workers have reported what they run',
    tests: handoff,
  },
  {
    file: 'src/pool/observe/known-versions.ts',
    find: 'before.get(uid) ?? versionIn(answers[uid], uid)',
    put: 'versionIn(answers[uid], uid)',
    what: 'a worker raises the version with any later false answer',
    tests: ['unit/pool/observe/known-versions'],
  },
];
