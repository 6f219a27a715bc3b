// Do tests notice when a bound on the operator's clients, or on its workers' answers, is missing?
import type { Mutant } from './mutant.ts';

const workers = ['unit/probes/probes.fairness'];
const http = ['unit/probes/probes.http'];
const server = ['unit/http'];

export const serverMutants: readonly Mutant[] = [
  {
    file: 'src/api/report.ts',
    find: 'if (names.length > mostJobs) return tooManyJobs(names.length, mostJobs);',
    put: '',
    what: 'the operator accepts an answer with two million jobs',
    tests: http,
  },
  {
    file: 'src/runtime/client/bounded-request.ts',
    find: "if (length > mostBytes) return failed('too-long', tooLong);",
    put: '',
    what: 'the operator reads an endless answer without a limit',
    tests: http,
  },
  {
    file: 'src/pool/workers/probes.ts',
    find: 'isRecordWhole && before !== undefined ? recorded : sum(recorded, sizeOf(streams))',
    put: 'recorded',
    what: 'after a lost record, the operator refuses correct answers of workers as too long',
    tests: ['unit/pool/refresh/probes.report-bound'],
  },
  {
    file: 'src/probes/fair-queue.ts',
    find: 'if (pools.size > 0) this.#namespaces.set(namespace, pools);',
    put: `const others = [...this.#namespaces];
    this.#namespaces.clear();
    for (const [name, its] of [[namespace, pools] as const, ...others]) this.#namespaces.set(name, its);`,
    what: 'the operator probes all workers of a large namespace before those of other namespaces',
    tests: workers,
  },
  {
    file: 'src/probes/permits.ts',
    find: 'hasRoom(this.#byNamespace.get(namespace), Math.max(2, this.#most / 2), isFailing)',
    put: 'hasRoom(this.#byNamespace.get(namespace), this.#most, isFailing)',
    what: 'silent workers of one namespace use all concurrent probes',
    tests: workers,
  },
  {
    file: 'src/probes/reading-budget.ts',
    find: 'Math.max(0, Math.ceil(((used - BURST_SECONDS * perSecond) * 1000) / perSecond));',
    put: '0 * used * perSecond;',
    what: 'a pool whose workers send long answers is probed as often as others',
    tests: workers,
  },
  {
    file: 'src/http/bounded-server.ts',
    find: 'if (this.#count > this.#most) this.#dropOldest();',
    put: '',
    what: 'idle connections keep a new client out',
    tests: server,
  },
  {
    file: 'src/http/bounded-server.ts',
    find: 'reduce((a, b) => (b[1].size > a[1].size ? b : a))',
    put: 'reduce((a) => a)',
    what: 'an address with very many connections makes another address lose its connection',
    tests: server,
  },
  {
    file: 'src/server/metrics/serve.ts',
    find: 'this.#next ??= this.#make()',
    put: 'this.#next = this.#make()',
    what: 'metrics are rendered separately for each client',
    tests: ['unit/server/rendering'],
  },
];
