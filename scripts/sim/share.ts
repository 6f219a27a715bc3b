// Runs one share of the stories of scripts/sim.ts.
import '@kubernetes/client-node';
import type { Placed } from '../../test/sim/fault-coverage.ts';
import { groupModeInTurn, groupStoryFor, plainGroupStory } from '../../test/sim/group/plan.ts';
import { groupStateNames } from '../../test/sim/group/states.ts';
import { printed } from '../../test/sim/print.ts';
import { plainQueueStory, queueStoryFor } from '../../test/sim/queue/plan.ts';
import { queueStateNames } from '../../test/sim/queue/states.ts';
import { run } from '../../test/sim/run.ts';
import { shrink } from '../../test/sim/shrink.ts';
import { cellsOf, modeInTurn, plainStory, storyFor } from '../../test/sim/story/plan.ts';
import { stateNames } from '../../test/sim/story/states.ts';
import type { AnyStory } from '../../test/sim/story/story.ts';
import { changesTarget } from '../../test/sim/story/targets.ts';

export type Share = {
  readonly groups: boolean;
  readonly queues: boolean;
  readonly runs: number;
  readonly seed: number;
  readonly cells: boolean;
  readonly turn: number;
  /** One fault. */
  readonly only?: string | undefined;
  /** Oracles whose findings do not count, with commas between. */
  readonly without?: string | undefined;
  readonly story?: string | undefined;
  readonly share: number;
  readonly jobs: number;
};

export type Told = {
  readonly runs: number;
  readonly bad: number;
  readonly injected: number;
  /** Of the stories: walks, and those in which the target changes. */
  readonly walks: number;
  readonly changedTarget: number;
  /** Of `--cells`: the cells, and whether each fault was injected. */
  readonly cells: readonly Placed[];
  readonly cpuMs: number;
  readonly worstSettledMs: number;
};

/** This many failures are shrunk and printed in full; of the others only the violation. */
const MOST_AT_LENGTH = 5;

const asked = JSON.parse(process.argv[2] ?? '{}') as Share;
// The parent process is gone: no one would read the result.
process.on('disconnect', () => process.exit(1));
const { share, jobs } = asked;
const without = new Set(asked.without?.split(','));
const counts = (oracle: string): boolean => !without.has(oracle);
let runs = 0;
let bad = 0;
let injected = 0;
let walks = 0;
let changedTarget = 0;
let worstSettledMs = 0;
const cells: Placed[] = [];

async function tell(story: AnyStory, state?: string): Promise<void> {
  const result = await run(story, counts);
  runs += 1;
  if (story.isWalk === true) walks += 1;
  if (story.isWalk === true && 'shape' in story && changesTarget(story)) changedTarget += 1;
  injected += result.injected.length;
  worstSettledMs = Math.max(worstSettledMs, result.settledInMs);
  const [placed] = story.faults;
  if (state !== undefined && placed !== undefined && 'call' in placed)
    cells.push({
      fault: placed.fault,
      state,
      side: placed.side,
      call: placed.call,
      injected: result.injected.length > 0,
    });
  if (result.violation === undefined) return;
  bad += 1;
  if (bad > MOST_AT_LENGTH)
    console.log(
      `✗ ${result.violation.oracle}: ${result.violation.message}\n  --story '${JSON.stringify(story)}'`,
    );
  else {
    const shortest = await shrink(story, result.violation.oracle, counts);
    console.log(printed(shortest.story, shortest.result));
  }
}

function storyOfSeed(seed: number): AnyStory {
  if (asked.queues) return queueStoryFor(seed);
  return asked.groups ? groupStoryFor(seed) : storyFor(seed);
}

type Plain = { readonly state: string; readonly plain: AnyStory };

const poolPlains = (): readonly Plain[] =>
  stateNames.map((state) => ({
    state,
    plain: plainStory(state, modeInTurn(state, asked.turn), asked.seed),
  }));

const groupPlains = (): readonly Plain[] =>
  groupStateNames.map((state) => ({
    state,
    plain: plainGroupStory(state, groupModeInTurn(state, asked.turn), asked.seed),
  }));

const queuePlains = (): readonly Plain[] =>
  queueStateNames.map((state) => ({
    state,
    plain: plainQueueStory(state, asked.turn, asked.seed),
  }));

function plains(): readonly Plain[] {
  if (asked.queues) return queuePlains();
  return asked.groups ? groupPlains() : poolPlains();
}

async function everyCell(): Promise<void> {
  let count = 0;
  for (const { state, plain } of plains()) {
    const alone = await run(plain);
    const beside = await run({ ...plain, hasStandby: true });
    if (alone.violation !== undefined) await tell(plain);
    for (const cell of cellsOf(plain, { alone: alone.calls, beside: beside.calls })) {
      if (asked.only !== undefined && cell.faults[0]?.fault !== asked.only) continue;
      count += 1;
      if (count % jobs === share) await tell(cell, state);
    }
  }
}

if (asked.story !== undefined) await tell(JSON.parse(asked.story) as AnyStory);
else if (asked.cells) await everyCell();
else
  for (let count = share; count < asked.runs; count += jobs)
    await tell(storyOfSeed(asked.seed + count));

const { user, system } = process.cpuUsage();
const told: Told = {
  runs,
  bad,
  injected,
  walks,
  changedTarget,
  cells,
  cpuMs: (user + system) / 1000,
  worstSettledMs,
};
process.send?.(told, () => process.exit(0));
