// What if one namespace could take the time, or the memory, that the others need?
import type { Mutant } from './mutant.ts';

const thread = ['unit/kube/thread'];
const holdings = ['unit/controllers/holdings'];
const groups = ['unit/core/assign/groups'];

export const tenantMutants: readonly Mutant[] = [
  {
    file: 'src/kube/thread.ts',
    find: 'if (last.done === true || pieceMs >= PIECE_MS)',
    put: 'if (last.done === true)',
    what: 'a long decision is made in one go',
    tests: thread,
  },
  {
    file: 'src/kube/thread.ts',
    find: 'this.#waiting.delete(group);',
    put: 'if (waiters.length === 1) this.#waiting.delete(group);',
    what: 'a namespace keeps its turn for as long as it has work',
    tests: thread,
  },
  {
    file: 'src/kube/thread.ts',
    find: 'if (waitMs > 0) continue;',
    put: '',
    what: 'a namespace does not pay for work that could not be cut',
    tests: thread,
  },
  {
    file: 'src/kube/thread.ts',
    find: 'if (term !== this.#term) throw new Abandoned();',
    put: '',
    what: 'a long decision goes on although the operator leads no more',
    tests: thread,
  },
  {
    file: 'src/kube/workqueue.ts',
    find: '?? 0) < free) return entry;',
    put: '?? 0) < Infinity) return entry;',
    what: 'slow pools of one namespace hold all places of the queue',
    tests: ['unit/kube/workqueue'],
  },
  {
    file: 'src/controllers/holdings.ts',
    find: 'const isRefused = this.#before(account, key) + bytes > level;',
    put: 'const isRefused = false;',
    what: 'pools take more memory than there is',
    tests: holdings,
  },
  {
    file: 'src/controllers/holdings.ts',
    find: 'if (total > part) return part;',
    put: 'if (total > part) return this.#options.most / 2;',
    what: 'a namespace keeps more than its equal part of the memory',
    tests: holdings,
  },
  {
    file: 'src/core/pool/assign/even.ts',
    find: 'if (members <= search.level) return worker;',
    put: 'if (members <= search.level + 1) return worker;',
    what: 'a member of a spread group joins another where it could be alone',
    tests: groups,
  },
  {
    file: 'src/core/pool/assign/place.ts',
    find: '    yield;\n    const worker = placement',
    put: '    const worker = placement',
    what: 'very many streams with weights are placed in one go',
    tests: groups,
  },
];
