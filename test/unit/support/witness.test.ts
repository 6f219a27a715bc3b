// Does the witness report each violation, and only those?
import { describe, expect, it } from '@jest/globals';
import { type Heard, type Violation, ViolationLog } from '../../support/witness-violations.ts';

type Said = Readonly<Record<string, Heard['said']>>;
type Step =
  | { readonly published: Readonly<Record<string, readonly string[]>> }
  | { readonly claims: readonly string[] }
  /** This many rounds, 150 ms apart. */
  | {
      readonly said: Said;
      readonly rounds: number;
      readonly askedMsAgo?: number;
      readonly everyMs?: number;
    };

const ROUND_MS = 150;
/** In rounds: longer than a status may lag. */
const LONG = 20;
const SHORT = 12;

function seen(steps: readonly Step[], isExclusive = true): readonly string[] {
  const log = new ViolationLog();
  log.handoff('tv', isExclusive);
  let now = 0;
  for (const step of steps) {
    if ('published' in step) log.published('tv', new Map(Object.entries(step.published)));
    else if ('claims' in step) log.claimed('tv', step.claims, now);
    else {
      const { said, rounds, askedMsAgo = 10, everyMs = ROUND_MS } = step;
      for (let round = 0; round < rounds; round += 1) {
        now += everyMs;
        log.round(
          Object.entries(said).map(([pod, it]) => ({ pod, askedMs: now - askedMsAgo, said: it })),
          now,
        );
      }
    }
  }
  return log.violations.map(textOf);
}

const textOf = ({ rule, message }: Violation): string => `${rule}: ${message}`;

const published = { published: { a: ['s'], b: ['t'] } };
const right = { a: ['s'], b: ['t'] };
const good: readonly Step[] = [
  published,
  { said: right, rounds: 1 },
  { claims: ['Ready', 'Converged'] },
];
const ready = { claims: ['Ready'] };
const twice = 'TwoOwners: s runs at a and at b';
const untrue = (what: string): string => `UntrueStatus: status had Ready while ${what}`;

describe('two owners', () => {
  it.each<[string, readonly Step[], readonly string[]]>([
    [
      'in two rounds in a row are reported, once',
      [published, { said: { a: ['s'], b: ['t', 's'] }, rounds: 5 }],
      [twice],
    ],
    [
      'of which one no longer has an assignment are reported',
      [
        published,
        { published: { c: ['s', 't'] } },
        { said: { a: ['s'], c: ['s', 't'] }, rounds: 2 },
      ],
      ['TwoOwners: s runs at a and at c'],
    ],
    [
      'in only one round are fine: one may have ended before the other began',
      [published, { said: { a: ['s'], b: ['s'] }, rounds: 1 }],
      [],
    ],
    [
      'in rounds that do not follow each other are fine',
      [
        published,
        { said: { a: ['s'], b: ['s'] }, rounds: 1 },
        { said: { a: ['s'], b: [] }, rounds: 1 },
        { said: { a: ['s'], b: ['s'] }, rounds: 1 },
      ],
      [],
    ],
    [
      'with old answers are fine',
      [published, { said: { a: ['s'], b: ['s'] }, rounds: 5, askedMsAgo: 301 }],
      [],
    ],
    [
      'with a break between the rounds are fine',
      [published, { said: { a: ['s'], b: ['s'] }, rounds: 5, everyMs: 700 }],
      [],
    ],
    [
      'are fine when the second pod is no worker of the pool',
      [published, { said: { a: ['s'], x: ['s'] }, rounds: 5 }],
      [],
    ],
  ])('the witness judges two owners %s', (_, steps, wanted) => {
    expect(seen(steps)).toEqual(wanted);
  });

  it('the witness allows two owners for a moment where the handoff is not Exclusive', () => {
    expect(seen([published, { said: { a: ['s'], b: ['t', 's'] }, rounds: 5 }], false)).toEqual([]);
  });
});

describe('a status that claims health', () => {
  it.each<[string, readonly Step[], readonly string[]]>([
    ['is true while all runs as published', [...good, { said: right, rounds: LONG }], []],
    [
      'is untrue while a stream runs nowhere',
      [
        published,
        { said: { a: [], b: ['t'] }, rounds: 2 },
        ready,
        { said: { a: [], b: ['t'] }, rounds: LONG },
      ],
      [untrue('s runs nowhere: not at a either')],
    ],
    [
      'is untrue while a worker is dead',
      [
        published,
        { said: { a: 'dead', b: ['t'] }, rounds: 2 },
        ready,
        { said: { a: 'dead', b: ['t'] }, rounds: LONG },
      ],
      [untrue('s runs nowhere: a is dead')],
    ],
    [
      'is untrue while a worker does not exist',
      [published, { said: { b: ['t'] }, rounds: 2 }, ready, { said: { b: ['t'] }, rounds: LONG }],
      [untrue('s runs nowhere: a does not exist')],
    ],
    [
      'is untrue while a stream runs twice',
      [
        published,
        { said: { a: ['s'], b: ['t', 's'] }, rounds: 2 },
        ready,
        { said: { a: ['s'], b: ['t', 's'] }, rounds: LONG },
      ],
      [untrue('s runs at a and at b')],
    ],
    [
      'is untrue while a stream still runs where it is released',
      [
        ...good,
        { published: { b: ['t'] } },
        { said: right, rounds: 2 },
        ready,
        { said: right, rounds: LONG },
      ],
      [untrue('s runs at a, and is assigned to no worker')],
    ],
    [
      'is untrue while a stream runs at another worker than its own',
      [
        published,
        { said: { a: ['t'], b: ['s'] }, rounds: 2 },
        ready,
        { said: { a: ['t'], b: ['s'] }, rounds: LONG },
      ],
      [untrue('s runs at b, and is assigned to a'), untrue('t runs at a, and is assigned to b')],
    ],
    [
      'is untrue when it is written long after the problem began',
      [
        published,
        { said: { a: [], b: ['t'] }, rounds: LONG },
        ready,
        { said: { a: [], b: ['t'] }, rounds: 1 },
      ],
      [untrue('s runs nowhere: not at a either')],
    ],
    [
      'may lag two seconds',
      [
        published,
        { said: { a: [], b: ['t'] }, rounds: 2 },
        ready,
        { said: { a: [], b: ['t'] }, rounds: SHORT - 2 },
        { said: right, rounds: LONG },
      ],
      [],
    ],
    [
      'and is corrected in time was true',
      [
        published,
        { said: { a: [], b: ['t'] }, rounds: 2 },
        ready,
        { said: { a: [], b: ['t'] }, rounds: 5 },
        { claims: [] },
        { said: { a: [], b: ['t'] }, rounds: LONG },
      ],
      [],
    ],
    [
      'that was written before the problem began is true',
      [...good, { said: { a: [], b: ['t'] }, rounds: LONG }],
      [],
    ],
    [
      'is not checked against a worker that does not answer',
      [
        published,
        { said: { a: 'silent', b: ['t'] }, rounds: 2 },
        ready,
        { said: { a: 'silent', b: ['t'] }, rounds: LONG },
      ],
      [],
    ],
    [
      'is not checked by a witness that was delayed',
      [
        published,
        { said: { a: [], b: ['t'] }, rounds: 2 },
        ready,
        { said: { a: [], b: ['t'] }, rounds: LONG, everyMs: 700 },
      ],
      [],
    ],
    [
      'is not checked when there is none',
      [published, { said: { a: [], b: ['t'] }, rounds: LONG }],
      [],
    ],
  ])('the witness decides whether a status that claims health %s', (_, steps, wanted) => {
    expect(seen(steps, false)).toEqual(wanted);
  });
});
