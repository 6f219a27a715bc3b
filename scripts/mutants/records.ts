// Do tests notice when the operator forgets what a worker may run: in its record, between two
// files, or after a loss?
import type { Mutant } from './mutant.ts';

const shards = ['unit/pool/publish/shards'];
const slots = ['unit/pool/workers/slots'];

export const recordMutants: readonly Mutant[] = [
  {
    file: 'src/pool/publish/handoff.ts',
    find: 'if (told.version < version) return isEdited;',
    put: 'if (told.version < version) return false;',
    what: 'a stream that a user removed from the record of a silent worker goes to another worker',
    tests: ['unit/pool/publish/handoff'],
  },
  {
    file: 'src/pool/publish/publication.ts',
    find: ' || workers.some(isBehind)',
    put: '',
    what: 'one file restored from an older copy keeps a lower version than its workers already have',
    tests: shards,
  },
  {
    file: 'src/pool/publish/files.ts',
    find: 'leftVersion > version ? undefined : assignment?.workloads',
    put: 'assignment?.workloads',
    what: 'a pool that returns to an earlier ConfigMap keeps an old slice there',
    tests: shards,
  },
  {
    file: 'src/pool/publish/files.ts',
    find: '(isFormer ? former.get(name) : undefined) ??',
    put: '',
    what: 'a worker of an earlier target moves from one file to another',
    tests: slots,
  },
  {
    file: 'src/pool/workers/seats.ts',
    find: '[...living, ...slotless]',
    put: 'living',
    what: 'the operator forgets a pod that lost its slot together with the assignment',
    tests: slots,
  },
  {
    file: 'src/pool/observe/former-workers.ts',
    find: 'if (hasLostFile(pool, shards)) return this.#annotatedPods(pool, shards);',
    put: '',
    what: 'the operator forgets workers of an earlier target when a user emptied one of two files',
    tests: ['unit/pool/observe/former-workers'],
  },
];
