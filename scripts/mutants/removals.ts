// Mutants of removals that the operator holds until a user confirms them.
import type { Mutant } from './mutant.ts';

const removal = ['unit/pool/removal'];

export const removalMutants: readonly Mutant[] = [
  {
    file: 'src/pool/streams/removal.ts',
    find: 'old.has(stream.name) ? stream : { ...stream, isAdded: true }',
    put: 'stream',
    what: 'a held removal takes effect as soon as another stream is listed',
    tests: removal,
  },
  {
    file: 'src/pool/streams/removal.ts',
    find: 'if (annotation === digest) return confirmed;',
    put: 'if (annotation !== undefined) return confirmed;',
    what: 'the confirmation of one removal confirms every other',
    tests: removal,
  },
  {
    file: 'src/pool/streams/removal.ts',
    find: '...{ ...stream, priority: HELD_PRIORITY },',
    put: '...stream,',
    what: 'new streams take the capacity of held ones',
    tests: removal,
  },
  {
    file: 'src/pool/publish/slices.ts',
    find: 'filter(({ isReadBack }) => isReadBack === true)',
    put: 'filter(() => false)',
    what: 'a held stream that moves with handoff Exclusive is lost during the handoff',
    tests: removal,
  },
  {
    file: 'src/pool/workers/size.ts',
    find: 'streamsToRun(world, spec, list.streams)',
    put: 'list.streams',
    what: 'scaling Auto removes the workers of streams that are held',
    tests: removal,
  },
  {
    file: 'src/pool/observe/pools.ts',
    find: 'annotated(metadata, ANNOTATION_PAUSED, ANNOTATION_CONFIRM_REMOVAL)',
    put: 'annotated(metadata, ANNOTATION_PAUSED)',
    what: 'the operator does not see the annotation that confirms a removal',
    tests: ['unit/pool/observe/pools'],
  },
];
