// Mutants of what the next operator finds of one that was killed in the middle of a change.
import type { Mutant } from './mutant.ts';

const publish = 'src/pool/publish';
const handoff = ['unit/pool/publish/handoff'];
const published = ['unit/pool/publish/annotations', 'unit/pool/publish/published'];
const lease = ['unit/runtime/lease'];

export const restartMutants: readonly Mutant[] = [
  {
    file: `${publish}/handoff.ts`,
    find: 'releasing.set(name, [...mine].filter((stream) => !kept.has(stream)).sort());',
    put: 'releasing.set(name, []);',
    what: 'that a worker has yet to stop a stream is not published',
    tests: handoff,
  },
  {
    file: `${publish}/handoff.ts`,
    find: 'slice !== undefined && answer.report.version >= slice.version;',
    put: 'slice !== undefined;',
    what: 'a worker counts as having let go by what it said before it was told to',
    tests: handoff,
  },
  {
    file: `${publish}/handoff.ts`,
    find: 'return new Set([...given, ...(reported ?? [])]);',
    put: 'return new Set(given);',
    what: 'what a worker runs without having been given it is given to another',
    tests: handoff,
  },
  {
    file: `${publish}/handoff.ts`,
    find: 'return new Set([...(reported ?? given), ANYTHING]);',
    put: 'return new Set(reported ?? given);',
    what: 'a worker that may start what is recorded nowhere keeps nothing from being given to another',
    tests: handoff,
  },
  {
    file: `${publish}/publish.ts`,
    find: 'jobs: [...slice.jobs].sort(),',
    put: 'jobs: slice.jobs,',
    what: 'a list that is only rearranged gives workers a new version',
    tests: ['unit/pool/decide'],
  },
  {
    file: `${publish}/publish.ts`,
    find: 'weight > 0 || parameters !== undefined',
    put: 'parameters !== undefined',
    what: 'the weight of a stream is not published',
    tests: ['unit/pool/decide'],
  },
  {
    file: 'src/pool/refresh/nudge.ts',
    find: 'const pod = livePod(worker);',
    put: 'const pod = worker.pod?.hasEnded === true ? undefined : worker.pod;',
    what: 'a pod that is ending is told of its slice',
    tests: ['unit/pool/refresh/nudge'],
  },
  {
    file: `${publish}/notes.ts`,
    find: '!Number.isNaN(Date.parse(time));',
    put: 'true;',
    what: 'a note with a time that there is not goes into status, which is then refused',
    tests: published,
  },
  {
    file: `${publish}/notes.ts`,
    find: 'Number.isSafeInteger(value) && value >= 0;',
    put: 'Number.isSafeInteger(value);',
    what: 'a note with fewer than no moves goes into status, which is then refused',
    tests: published,
  },
  {
    file: 'src/runtime/lease.ts',
    find: 'return this.#isStarted && this.#options.clock.monotonic() < this.#leadsUntil;',
    put: 'return this.#isStarted;',
    what: 'an operator that was frozen past its term goes on writing',
    tests: lease,
  },
  {
    file: 'src/runtime/lease.ts',
    find: 'this.#cancelEnd = clock.after(left, () => this.#end());',
    put: '',
    what: 'an operator whose renewals hang is not told that its term has ended',
    tests: lease,
  },
];
