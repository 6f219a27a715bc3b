// Does the witness see each violation, and none where there is none?
import { describe, expect, it } from '@jest/globals';
import { type Heard, Testimony, type Violation } from '../../support/witness-testimony.ts';

type Said = Readonly<Record<string, Heard['said']>>;
type Step =
  | { readonly published: Readonly<Record<string, readonly string[]>> }
  | { readonly claims: readonly string[] }
  /** So many rounds, 150 ms apart. */
  | {
      readonly said: Said;
      readonly rounds: number;
      readonly askedMsAgo?: number;
      readonly everyMs?: number;
    };

const ROUND_MS = 150;
/** In rounds: longer than what a status may lag. */
const LONG = 20;
const SHORT = 12;

function seen(steps: readonly Step[], isExclusive = true): readonly string[] {
  const testimony = new Testimony();
  testimony.handoff('tv', isExclusive);
  let now = 0;
  for (const step of steps) {
    if ('published' in step) testimony.published('tv', new Map(Object.entries(step.published)));
    else if ('claims' in step) testimony.claimed('tv', step.claims, now);
    else {
      const { said, rounds, askedMsAgo = 10, everyMs = ROUND_MS } = step;
      for (let round = 0; round < rounds; round += 1) {
        now += everyMs;
        testimony.round(
          Object.entries(said).map(([pod, it]) => ({ pod, askedMs: now - askedMsAgo, said: it })),
          now,
        );
      }
    }
  }
  return testimony.violations.map(textOf);
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
const untrue = (what: string): string => `UntrueStatus: Ready stood in a status while ${what}`;

describe('two owners', () => {
  it.each<[string, readonly Step[], readonly string[]]>([
    [
      'in two rounds in a row are seen, once',
      [published, { said: { a: ['s'], b: ['t', 's'] }, rounds: 5 }],
      [twice],
    ],
    [
      'of whom one is not given anything any more are seen',
      [
        published,
        { published: { c: ['s', 't'] } },
        { said: { a: ['s'], c: ['s', 't'] }, rounds: 2 },
      ],
      ['TwoOwners: s runs at a and at c'],
    ],
    [
      'in one round only are none: one may have ended before the other began',
      [published, { said: { a: ['s'], b: ['s'] }, rounds: 1 }],
      [],
    ],
    [
      'in rounds that do not follow each other are none',
      [
        published,
        { said: { a: ['s'], b: ['s'] }, rounds: 1 },
        { said: { a: ['s'], b: [] }, rounds: 1 },
        { said: { a: ['s'], b: ['s'] }, rounds: 1 },
      ],
      [],
    ],
    [
      'whose answers are old are none',
      [published, { said: { a: ['s'], b: ['s'] }, rounds: 5, askedMsAgo: 301 }],
      [],
    ],
    [
      'with a break between the rounds are none',
      [published, { said: { a: ['s'], b: ['s'] }, rounds: 5, everyMs: 700 }],
      [],
    ],
    [
      'are none when the second pod is no worker of the pool',
      [published, { said: { a: ['s'], x: ['s'] }, rounds: 5 }],
      [],
    ],
  ])('%s', (_, steps, wanted) => {
    expect(seen(steps)).toEqual(wanted);
  });

  it('are allowed for a moment where the handoff is not Exclusive', () => {
    expect(seen([published, { said: { a: ['s'], b: ['t', 's'] }, rounds: 5 }], false)).toEqual([]);
  });
});

describe('a status that says that all is well', () => {
  it.each<[string, readonly Step[], readonly string[]]>([
    ['is true while all is as published', [...good, { said: right, rounds: LONG }], []],
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
      'is untrue while a worker is not there',
      [published, { said: { b: ['t'] }, rounds: 2 }, ready, { said: { b: ['t'] }, rounds: LONG }],
      [untrue('s runs nowhere: there is no a')],
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
      [untrue("s runs at a, and is nobody's")],
    ],
    [
      'is untrue while a stream runs at another than its worker',
      [
        published,
        { said: { a: ['t'], b: ['s'] }, rounds: 2 },
        ready,
        { said: { a: ['t'], b: ['s'] }, rounds: LONG },
      ],
      [untrue("s runs at b, and is a's"), untrue("t runs at a, and is b's")],
    ],
    [
      'is untrue when it comes while it has long been so',
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
      'and is taken back in time was true',
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
      'that was written before anything went wrong is not held against it',
      [...good, { said: { a: [], b: ['t'] }, rounds: LONG }],
      [],
    ],
    [
      'is not judged by a worker that does not answer',
      [
        published,
        { said: { a: 'silent', b: ['t'] }, rounds: 2 },
        ready,
        { said: { a: 'silent', b: ['t'] }, rounds: LONG },
      ],
      [],
    ],
    [
      'is not judged by a witness that is held up',
      [
        published,
        { said: { a: [], b: ['t'] }, rounds: 2 },
        ready,
        { said: { a: [], b: ['t'] }, rounds: LONG, everyMs: 700 },
      ],
      [],
    ],
    [
      'is not judged when there is none',
      [published, { said: { a: [], b: ['t'] }, rounds: LONG }],
      [],
    ],
  ])('%s', (_, steps, wanted) => {
    expect(seen(steps, false)).toEqual(wanted);
  });
});
