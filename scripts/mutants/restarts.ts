// Mutants of continuing after an operator was killed.
import type { Mutant } from './mutant.ts';

const publish = 'src/pool/publish';
const handoff = ['unit/pool/publish/handoff'];
const published = ['unit/pool/publish/config-map', 'unit/pool/publish/published'];
const lease = ['unit/runtime/lease'];

export const restartMutants: readonly Mutant[] = [
  {
    file: `${publish}/handoff.ts`,
    find: 'releasing.set(name, [...(mine ?? wants)].filter((stream) => !isGiven.has(stream)).sort());',
    put: 'releasing.set(name, none);',
    what: 'the assignment does not tell a worker which streams it must still stop',
    tests: handoff,
  },
  {
    file: `${publish}/handoff.ts`,
    find: 'slice !== undefined && answer.report.version >= slice.version;',
    put: 'slice !== undefined;',
    what: 'an answer from before the request counts as the release of a stream',
    tests: handoff,
  },
  {
    file: `${publish}/handoff.ts`,
    find: 'return new Set([...given, ...(reported ?? [])]);',
    put: 'return new Set(given);',
    what: 'a stream that a worker runs without an assignment is assigned to another worker',
    tests: handoff,
  },
  {
    file: `${publish}/handoff.ts`,
    find: 'return new Set([...(reported ?? given), ANYTHING]);',
    put: 'return new Set(reported ?? given);',
    what: 'streams are reassigned although a worker may still start streams that no record names',
    tests: handoff,
  },
  {
    file: `${publish}/slices.ts`,
    find: 'jobs: [...slice.jobs].sort(),',
    put: 'jobs: slice.jobs,',
    what: 'a reordered list creates a new version',
    tests: ['unit/pool/decide'],
  },
  {
    file: `${publish}/slices.ts`,
    find: 'weight > 0 || parameters !== undefined',
    put: 'parameters !== undefined',
    what: 'the assignment lacks the weights of streams',
    tests: ['unit/pool/decide'],
  },
  {
    file: 'src/pool/workers/refresh.ts',
    find: 'const pod = livePod(worker); const slice = slices.get(name); if (pod === undefined || slice === undefined || hasConverged(worker, slice)) continue;',
    put: 'const pod = worker.pod?.hasEnded === true ? undefined : worker.pod; const slice = slices.get(name); if (pod === undefined || slice === undefined || hasConverged(worker, slice)) continue;',
    what: 'the operator nudges a terminating pod',
    tests: ['unit/pool/refresh/nudge'],
  },
  {
    file: `${publish}/config-map.ts`,
    find: '!Number.isNaN(Date.parse(time));',
    put: 'true;',
    what: 'a note with an invalid time is copied into status, which the API server then refuses',
    tests: published,
  },
  {
    file: `${publish}/config-map.ts`,
    find: 'Number.isSafeInteger(value) && value >= 0;',
    put: 'Number.isSafeInteger(value);',
    what: 'a note with a negative number of moves is copied into status, which the API server then refuses',
    tests: published,
  },
  {
    file: 'src/runtime/lease.ts',
    find: 'return this.#isStarted && this.#options.clock.monotonic() < this.#leadsUntil;',
    put: 'return this.#isStarted;',
    what: 'an operator that was frozen past its lease goes on writing',
    tests: lease,
  },
  {
    file: 'src/runtime/lease.ts',
    find: 'this.#cancelEnd = clock.after(left, () => this.#end());',
    put: '',
    what: 'an operator whose renewals hang keeps leading past its lease',
    tests: lease,
  },
];
