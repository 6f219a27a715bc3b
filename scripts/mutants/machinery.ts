// Mutants of what reads, writes, leads and asks.
import type { Mutant } from './mutant.ts';

const watch = ['unit/kube/watch'];

export const machineryMutants: readonly Mutant[] = [
  {
    file: 'src/kube/watch.ts',
    find: "    if (hasCode(failure, 'Gone')) this.#mustList = true;\n",
    put: '',
    what: 'a watch that is too old is tried again for ever',
    tests: watch,
  },
  {
    file: 'src/kube/watch.ts',
    find: '!isNewer(known.resourceVersion, listing.resourceVersion)) this.#remove(key);',
    put: '!isNewer(known.resourceVersion, listing.resourceVersion)) this.#known.delete(key);',
    what: 'a deletion in a gap is not reported',
    tests: watch,
  },
  {
    file: 'src/kube/watch.ts',
    find: '    if (known !== undefined && !isNewer(version, known.resourceVersion)) return;\n    const uid',
    put: '    const uid',
    what: 'an older state is reported after a newer one',
    tests: watch,
  },
  {
    file: 'src/kube/lines.ts',
    find: "if (pieces.join('').trim() !== '') throw",
    put: "if (pieces.join('').trim() === 'never') throw",
    what: 'half an event at the end of a watch is swallowed',
    tests: ['unit/kube/lines'],
  },
  {
    file: 'src/kube/lease.ts',
    find: 'return now - this.#seen.since >= seconds * 1000;',
    put: 'return now - this.#seen.since >= seconds;',
    what: 'the lease is taken without waiting',
    tests: ['unit/kube/lease'],
  },
  {
    file: 'src/controllers/execute.ts',
    find: '{ uid: string; resourceVersion: string } => ({ uid, resourceVersion });',
    put: '{ uid: string; resourceVersion?: string } => (resourceVersion === uid ? { uid, resourceVersion } : { uid });',
    what: 'writes do not name the version that they were decided on',
    tests: ['unit/controllers/execute'],
  },
  {
    file: 'src/controllers/execute.ts',
    find: '  if (!executor.isLeading()) throw new NotLeading();\n',
    put: '',
    what: 'the operator writes without checking that it still leads',
    tests: ['unit/controllers'],
  },
  {
    file: 'src/controllers/engine.ts',
    find: '    this.#cancelResync = this.#options.clock.after(this.#options.resyncMs, () => this.#resync());\n',
    put: '',
    what: 'nothing is looked at again when nothing wakes it',
    tests: ['unit/controllers/engine'],
  },
  {
    file: 'src/controllers/targets.ts',
    find: 'return targetRef.name === target.name;',
    put: 'return target.name.startsWith(targetRef.name);',
    what: 'a target is found by the beginning of its name',
    tests: ['unit/controllers', 'unit/core/workers/targets'],
  },
  {
    file: 'src/sources/workers.ts',
    find: 'if (worker.ask.url !== url) {',
    put: 'if (worker.ask.url === undefined) {',
    what: 'an answer from the address that a worker has left is taken for its own',
    tests: ['unit/sources'],
  },
  {
    file: 'src/sources/turns.ts',
    find: 'this.#taken % ONE_OF === ONE_OF - 1',
    put: 'this.#taken < 0',
    what: 'a silent worker is never probed again where audits alone take the whole pace',
    tests: ['unit/sources'],
  },
  {
    file: 'src/api/assignment.ts',
    find: '    ...(isFilled(slice.releasing) && { releasing: [...slice.releasing] }),\n',
    put: '',
    what: 'what is being released is not written down',
    tests: ['unit/api', 'unit/core/publish/handoff'],
  },
];
