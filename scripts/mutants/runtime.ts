// Mutants of the runtime: reads, writes, leader election and probes.
import type { Mutant } from './mutant.ts';

const watch = ['unit/runtime/watch'];

export const runtimeMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/watch/watcher.ts',
    find: "hasCode(failure, 'Gone') ? 'expired' : mustList ? 'away' : undefined;",
    put: "mustList ? 'away' : undefined;",
    what: 'the watcher retries an expired watch for ever',
    tests: watch,
  },
  {
    file: 'src/runtime/watch/known-objects.ts',
    find: '!isNewer(known.resourceVersion, resourceVersion)) this.#remove(key);',
    put: '!isNewer(known.resourceVersion, resourceVersion)) this.#versions.delete(key);',
    what: 'the watcher does not report a deletion in a gap between watches',
    tests: watch,
  },
  {
    file: 'src/runtime/watch/known-objects.ts',
    find: '    if (known !== undefined && !isNewer(version, known.resourceVersion)) return;\n    const uid',
    put: '    const uid',
    what: 'the watcher reports an older state after a newer one',
    tests: watch,
  },
  {
    file: 'src/runtime/client/watch-events.ts',
    find: "if (parts.join('').trim() !== '') throw",
    put: "if (parts.join('').trim() === 'never') throw",
    what: 'the client ignores an incomplete event at the end of a watch',
    tests: ['unit/runtime/client/watch-events'],
  },
  {
    file: 'src/runtime/lease.ts',
    find: '- this.#seen.since >= seconds * 1000;',
    put: '- this.#seen.since >= seconds;',
    what: 'a replica takes the Lease without waiting for its end',
    tests: ['unit/runtime/lease'],
  },
  {
    file: 'src/runtime/engine/execute.ts',
    find: 'Seen): Seen => ({ uid, resourceVersion });',
    put: 'Seen): Partial<Seen> => (resourceVersion === uid ? { uid, resourceVersion } : { uid });',
    what: 'writes do not carry the resourceVersion that the decision was based on',
    tests: ['unit/runtime/engine/execute'],
  },
  {
    file: 'src/runtime/engine/execute.ts',
    find: '  if (!executor.isLeading()) throw new NotLeading();\n',
    put: '',
    what: 'the operator writes without checking that it still leads',
    tests: ['unit/runtime/engine/execute'],
  },
  {
    file: 'src/runtime/engine/resync.ts',
    find: '    later(0);\n',
    put: '',
    what: 'the engine never resyncs',
    tests: ['unit/runtime/engine/engine'],
  },
  {
    file: 'src/api/pool-targets.ts',
    find: 'return targetRef.name === target.name;',
    put: 'return target.name.startsWith(targetRef.name);',
    what: 'a target matches by a prefix of its name',
    tests: ['unit/api/pool-targets', 'unit/pool/workers/targets'],
  },
  {
    file: 'src/probes/probes.ts',
    find: 'if (worker.probe.url !== url) {',
    put: 'if (worker.probe.url === undefined) {',
    what: 'an answer from a worker’s earlier address counts as its own',
    tests: ['unit/probes'],
  },
  {
    file: 'src/probes/scheduler.ts',
    find: 'this.#taken % ONE_OF === ONE_OF - 1',
    put: 'this.#taken < 0',
    what: 'a silent worker is never probed again while audits alone use the whole rate',
    tests: ['unit/probes'],
  },
  {
    file: 'src/api/assignment.ts',
    find: '    ...(isFilled(slice.releasing) && { releasing: [...slice.releasing] }),\n',
    put: '',
    what: 'the assignment does not list the streams that are being released',
    tests: ['unit/api', 'unit/pool/publish/handoff'],
  },
  {
    file: 'src/runtime/watch/shared-versions.ts',
    find: 'this.#next.delete(kind);\n      const answer',
    put: 'const answer',
    what: 'a watch that breaks later trusts an answer of before',
    tests: ['unit/runtime/watch/shared-versions'],
  },
  {
    file: 'src/runtime/watch/shared-versions.ts',
    find: 'return shared.catch(ask);',
    put: 'return shared;',
    what: 'one namespace that may not be read stops the watches of others',
    tests: ['unit/runtime/watch/shared-versions'],
  },
];
