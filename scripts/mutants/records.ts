// What if something were forgotten of who may run what: in the record, between two files, or when it was lost?
import type { Mutant } from './mutant.ts';

const shards = ['unit/core/publish/shards'];
const slots = ['unit/core/workers/slots'];

export const recordMutants: readonly Mutant[] = [
  {
    file: 'src/core/pool/publish/handoff.ts',
    find: 'if (told.version < version) return isEdited;',
    put: 'if (told.version < version) return false;',
    what: 'what an editor takes from the record of a silent worker is given to another',
    tests: ['unit/core/publish/handoff'],
  },
  {
    file: 'src/core/pool/publish/publish.ts',
    find: ' || members.some(isBehind)',
    put: '',
    what: 'one file that is restored from an older copy stays below what its workers were told',
    tests: shards,
  },
  {
    file: 'src/core/pool/publish/publish.ts',
    find: 'isOutranked(found, shards, file) ? undefined : slicesIn(file)',
    put: 'slicesIn(file)',
    what: 'a slice of before is kept where the pool comes back to',
    tests: shards,
  },
  {
    file: 'src/core/pool/publish/publish.ts',
    find: 'const present = isFormer ? files',
    put: 'const present = false ? files',
    what: 'a worker of an earlier target goes from file to file',
    tests: slots,
  },
  {
    file: 'src/core/pool/workers/seats.ts',
    find: '[...living, ...slotless]',
    put: 'living',
    what: 'a pod that has lost its slot with the assignment is forgotten',
    tests: slots,
  },
];
