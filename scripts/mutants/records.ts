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
    what: 'a stream that an editor takes from a silent worker goes to another worker',
    tests: ['unit/pool/publish/handoff'],
  },
  {
    file: 'src/pool/publish/publish.ts',
    find: ' || workers.some(isBehind)',
    put: '',
    what: 'one file that is restored from an older copy keeps a lower version than its workers were told',
    tests: shards,
  },
  {
    file: 'src/pool/publish/places.ts',
    find: 'isOutranked(file, elsewhere) ? undefined : slicesIn(file)',
    put: 'slicesIn(file)',
    what: 'when a pool comes back to a place that it had left, an old slice there is kept',
    tests: shards,
  },
  {
    file: 'src/pool/publish/places.ts',
    find: '(isFormer ? former.get(name) : undefined) ??',
    put: '',
    what: 'a worker of an earlier target goes from file to file',
    tests: slots,
  },
  {
    file: 'src/pool/workers/seats.ts',
    find: '[...living, ...slotless]',
    put: 'living',
    what: 'a pod that has lost its slot with the assignment is forgotten',
    tests: slots,
  },
  {
    file: 'src/pool/observe/former-workers.ts',
    find: 'if (hasSpoiledFile(pool, shards)) return this.#annotatedPods(pool, shards);',
    put: '',
    what: 'workers of an earlier target are forgotten when one of two files was emptied',
    tests: ['unit/pool/observe/former-workers'],
  },
];
