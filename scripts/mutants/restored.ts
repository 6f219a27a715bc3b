// Do tests notice when the operator overlooks that etcd was restored from a snapshot, or believes
// outdated views?
import type { Mutant } from './mutant.ts';

const watch = ['unit/runtime/watch/watcher.restored'];
const handoff = ['unit/pool/publish/handoff'];

export const restoredMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/watch/watcher.ts',
    find: 'if (this.#mustCompare) await this.#compare(signal);',
    put: '',
    what: 'a watch goes on from where a restored server has not come to yet',
    tests: ['unit/runtime/watch/watcher.restored', 'unit/runtime/watch/watcher.gaps'],
  },
  {
    file: 'src/runtime/watch/watcher.ts',
    find: 'this.#isOlder(listing.resourceVersion, least) || this.#known.isSetBack(listing);',
    put: 'this.#isOlder(listing.resourceVersion, least);',
    what: 'objects that were set back are refused as old, in a list that is newer',
    tests: watch,
  },
  {
    file: 'src/runtime/watch/watcher.ts',
    find: 'return isNewer(this.#written, this.#seen) ? this.#written : this.#seen;',
    put: 'return this.#seen;',
    what: 'an own write that a restoration has undone is taken for newer than the list',
    tests: watch,
  },
  {
    file: 'src/runtime/lease.ts',
    find: "isUndone ? this.isLeading : holder === ''",
    put: "holder === ''",
    what: 'another replica takes a Lease that was set back while the leader still leads',
    tests: ['unit/runtime/lease'],
  },
  {
    file: 'src/runtime/store/config-maps.ts',
    find: 'if (isGone || isRestored) this.#read.delete(key);',
    put: 'if (isGone) this.#read.delete(key);',
    what: 'a ConfigMap that got its version anew is believed to be as it was read before',
    tests: ['unit/runtime/store/config-maps'],
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: 'if (isRewound ? mayRun(pod) : mayStillStartUnknown(member, slice, isEdited))',
    put: 'if (mayStillStartUnknown(member, slice, isEdited))',
    what: 'after a restoration, what a worker was told since the snapshot is given to another',
    tests: handoff,
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: 'if (isRewound && mayRun(pod)) return true;',
    put: '',
    what: 'after a restoration, Exclusive publishes before workers have said what they run',
    tests: handoff,
  },
  {
    file: 'src/pool/observe/first-versions.ts',
    find: 'before.get(uid) ?? versionIn(answers[uid], uid)',
    put: 'versionIn(answers[uid], uid)',
    what: 'a worker that lies drives the version, whenever it is asked',
    tests: ['unit/pool/observe/first-versions'],
  },
];
