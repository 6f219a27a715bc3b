// Do tests notice when one namespace could use up the time or the memory that others need?
import type { Mutant } from './mutant.ts';

const scheduler = ['unit/runtime/queue/turn-scheduler'];
const quota = ['unit/pool/observe/memory/memory-quota'];
const groups = ['unit/pool/assign/groups'];

export const tenantMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/queue/turn-scheduler.ts',
    find: 'if (last.done === true || turnMs >= TURN_MS)',
    put: 'if (last.done === true)',
    what: 'a long decision runs without a pause',
    tests: scheduler,
  },
  {
    file: 'src/runtime/queue/turns.ts',
    find: '      this.#waiting.delete(line);\n      const waiter',
    put: '      if (waiters.length === 1) this.#waiting.delete(line);\n      const waiter',
    what: 'a namespace keeps its turn for as long as it has work',
    tests: scheduler,
  },
  {
    file: 'src/runtime/queue/turns.ts',
    find: '    this.budgets.charge(group, workedMs - 2 * TURN_MS);\n',
    put: '',
    what: 'a namespace is not charged for work that cannot be divided',
    tests: scheduler,
  },
  {
    file: 'src/runtime/queue/turn-scheduler.ts',
    find: 'if (term !== this.#term) throw new Abandoned();',
    put: '',
    what: 'a long decision goes on after the operator has lost leadership',
    tests: scheduler,
  },
  {
    file: 'src/runtime/queue/workqueue.ts',
    find: 'if (group.held < free && arrivalOf(group)',
    put: 'if (arrivalOf(group)',
    what: 'slow pools of one namespace occupy all workers of the queue',
    tests: ['unit/runtime/queue/workqueue'],
  },
  {
    file: 'src/pool/observe/memory.ts',
    find: 'if (this.#before(account, key) + bytes > level)',
    put: 'if (false)',
    what: 'pools use more memory than the budget',
    tests: quota,
  },
  {
    file: 'src/pool/observe/memory.ts',
    find: 'if (total > part) return part;',
    put: 'if (total > part) return this.#options.most / 2;',
    what: 'a namespace keeps more than its equal share of the memory',
    tests: quota,
  },
  {
    file: 'src/pool/assign/even.ts',
    find: 'if (count <= search.level) return worker;',
    put: 'if (count <= search.level + 1) return worker;',
    what: 'two members of a spread group share a worker although another worker has none',
    tests: groups,
  },
  {
    file: 'src/pool/assign/place.ts',
    find: '    yield;\n    const { top } = heap;',
    put: '    const { top } = heap;',
    what: 'very many weighted streams are placed without a pause',
    tests: groups,
  },
  {
    file: 'src/pool/streams/join.ts',
    find: 'yield* eachOf(part.defined, (it) => {',
    put: 'part.defined.forEach((it) => {',
    what: 'the lists of very many streams are joined without a pause',
    tests: ['unit/pool/pauses'],
  },
  {
    file: 'src/pool/assign/problem/owners.ts',
    find: 'yield* eachOf(streams, ({ name }, at) => position.set(name, at));',
    put: 'streams.forEach(({ name }, at) => position.set(name, at));',
    what: 'the workers of very many rearranged streams are looked up without a pause',
    tests: ['unit/pool/pauses'],
  },
  {
    file: 'src/pool/observe/pools.ts',
    find: 'const isWithheld = size.streams > 0 && !this.#options.tryReserve(metadata, size);',
    put: 'const isWithheld = false;',
    what: 'the operator keeps the streams of a pool beyond the memory budget',
    tests: ['unit/pool/observe/pools', 'unit/pool/observe/memory/kept'],
  },
  {
    file: 'src/pool/observe/pools.ts',
    find: 'if (known === meta.resourceVersion && object?.metadata.resourceVersion === known)',
    put: 'if (object !== undefined)',
    what: 'the operator uses a re-read pool that is newer than the watch',
    tests: ['unit/pool/observe/pools'],
  },
  {
    file: 'src/pool/observe/memory.ts',
    find: 'else this.#quota.drop(meta.namespace, key);',
    put: '',
    what: 'a pool whose streams are not kept still uses memory for its lists and workers',
    tests: ['unit/pool/observe/memory/kept'],
  },
  {
    file: 'src/api/slim.ts',
    find: 'return used <= MOST_CHARACTERS;',
    put: 'return true;',
    what: 'the cache keeps all labels and volumes of an object of another kind',
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
    file: 'src/runtime/queue/turn-scheduler.ts',
    find: 'if (budgets.waitMs(group) === 0) break;',
    put: 'break;',
    what: 'a namespace is not charged for the long texts that it has parsed',
    tests: scheduler,
  },
  {
    file: 'src/runtime/queue/turns.ts',
    find: 'return line.startsWith(UNDER_WAY) ? 0 : this.budgets.waitMs(line);',
    put: 'return this.budgets.waitMs(line.trim());',
    what: 'a paused long decision of one namespace blocks those of other namespaces',
    tests: scheduler,
  },
  {
    file: 'src/runtime/watch/known-objects.ts',
    find: "if (!listed.has(key) && !isNewer(resourceVersion, listing.resourceVersion)) missed.set(key, '');",
    put: '',
    what: 'the operator never finds a deletion that no watch reported',
    tests: ['unit/runtime/watch/missed', 'unit/runtime/watch/watcher.observe'],
  },
];
