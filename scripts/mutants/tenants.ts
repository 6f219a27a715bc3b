// What if one namespace could take the time, or the memory, that the others need?
import type { Mutant } from './mutant.ts';

const thread = ['unit/runtime/queue/thread'];
const holdings = ['unit/pool/observe/memory/holdings'];
const groups = ['unit/pool/assign/groups'];

export const tenantMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/queue/thread.ts',
    find: 'if (last.done === true || pieceMs >= PIECE_MS)',
    put: 'if (last.done === true)',
    what: 'a long decision is made in one go',
    tests: thread,
  },
  {
    file: 'src/runtime/queue/thread.ts',
    find: 'this.#waiting.delete(line);',
    put: 'if (waiters.length === 1) this.#waiting.delete(line);',
    what: 'a namespace keeps its turn for as long as it has work',
    tests: thread,
  },
  {
    file: 'src/runtime/queue/thread.ts',
    find: 'if (waitMs > 0) continue;',
    put: '',
    what: 'a namespace does not pay for work that could not be cut',
    tests: thread,
  },
  {
    file: 'src/runtime/queue/thread.ts',
    find: 'if (term !== this.#term) throw new Abandoned();',
    put: '',
    what: 'a long decision goes on although the operator leads no more',
    tests: thread,
  },
  {
    file: 'src/runtime/queue/workqueue.ts',
    find: 'if ((this.#held.get(group) ?? 0) >= free) continue;',
    put: '',
    what: 'slow pools of one namespace hold all places of the queue',
    tests: ['unit/runtime/queue/workqueue'],
  },
  {
    file: 'src/pool/observe/memory/holdings.ts',
    find: 'const isRefused = this.#before(account, key) + bytes > level;',
    put: 'const isRefused = false;',
    what: 'pools take more memory than there is',
    tests: holdings,
  },
  {
    file: 'src/pool/observe/memory/holdings.ts',
    find: 'if (total > part) return part;',
    put: 'if (total > part) return this.#options.most / 2;',
    what: 'a namespace keeps more than its equal part of the memory',
    tests: holdings,
  },
  {
    file: 'src/pool/assign/even.ts',
    find: 'if (count <= search.level) return worker;',
    put: 'if (count <= search.level + 1) return worker;',
    what: 'a member of a spread group joins another where it could be alone',
    tests: groups,
  },
  {
    file: 'src/pool/assign/place.ts',
    find: '    yield;\n    const worker = placement',
    put: '    const worker = placement',
    what: 'very many streams with weights are placed in one go',
    tests: groups,
  },
  {
    file: 'src/pool/observe/pools.ts',
    find: 'const isWithheld = size.streams > 0 && !this.#options.hasRoom(metadata, size);',
    put: 'const isWithheld = false;',
    what: 'the streams of a pool are kept although there is no room for them',
    tests: ['unit/pool/observe/pools', 'unit/pool/observe/memory/kept'],
  },
  {
    file: 'src/pool/observe/pools.ts',
    find: 'if (object?.metadata.resourceVersion === meta.resourceVersion)',
    put: 'if (object !== undefined)',
    what: 'a pool that is read again is newer than the watch has told',
    tests: ['unit/pool/observe/pools'],
  },
  {
    file: 'src/pool/observe/memory/kept.ts',
    find: 'this.#holdings.drop(namespace, keyOf(pool.meta)); else if',
    put: 'void 0; else if',
    what: 'a pool whose streams are not kept takes the room of its lists and workers',
    tests: ['unit/pool/observe/memory/kept'],
  },
  {
    file: 'src/api/slim.ts',
    find: 'return used <= MOST_CHARACTERS;',
    put: 'return true;',
    what: 'an object of another kind is kept with all of its labels and volumes',
    tests: ['unit/api/slim'],
  },
  {
    file: 'src/runtime/client/pages.ts',
    find: 'objects === LEAST_PAGE ? Number.POSITIVE_INFINITY : MOST_PAGE_BYTES',
    put: 'Number.POSITIVE_INFINITY',
    what: 'a page of a list may have any size',
    tests: ['unit/runtime/client/client.requests'],
  },
  {
    file: 'src/runtime/queue/thread.ts',
    find: 'if (this.#budgets.waitMs(group) === 0) break;',
    put: 'break;',
    what: 'a namespace has one long text after the other read, and pays for none',
    tests: thread,
  },
  {
    file: 'src/runtime/queue/thread.ts',
    find: 'return line.startsWith(UNDER_WAY) ? 0 : this.#budgets.waitMs(line);',
    put: 'return this.#budgets.waitMs(line.trim());',
    what: 'a long decision that waits until its namespace has paid keeps those of others waiting',
    tests: thread,
  },
  {
    file: 'src/runtime/watch/missed.ts',
    find: "if (!listed.has(key) && !isNewer(resourceVersion, listing.resourceVersion)) missed.set(key, '');",
    put: '',
    what: 'a deletion that no watch has told of is never found',
    tests: ['unit/runtime/watch/missed', 'unit/runtime/watch/watcher.observe'],
  },
];
