// Does an operator keep its promises under faults with a real API server, real watches and real
// processes? Each cell is one fault in one state.
import { afterAll, describe, it } from '@jest/globals';
import { Swarm } from '../integration/support/swarm.ts';
import { FairClock } from '../support/fair-clock.ts';
import { waitBy } from '../support/processes.ts';
import { programs } from '../support/prometheus.ts';
import { Audit } from './audit.ts';
import { chooseCells } from './cell-choice.ts';
import { finiteFigures } from './finite/play-finite.ts';
import { groupFigures } from './group/play-group.ts';
import { jobFigures } from './job/play-job.ts';
import type { Arena } from './operated-namespace.ts';
import { allCells, runCells } from './run-cells.ts';

const CELL_MS = 20 * 60_000;

// Before anything is started: it throws when there is no such cell.
const chosen = chooseCells(allCells, process.env['SWARM_FAULTS'] ?? '');
const clock = new FairClock();
waitBy(() => clock.now());
const arena = startArena();
// The tests that await the arena report its failure.
arena.catch(() => undefined);
const canRun = ({ needsPrometheus = false }: (typeof chosen)[number]): boolean =>
  !needsPrometheus || programs !== undefined;
const outcomes = runCells(arena, chosen.filter(canRun));

/** Mounted files lag for a minute, unless the pod itself changes: as on a real node. */
async function startArena(): Promise<Arena> {
  const swarm = await Swarm.start({
    controlPlane: { audit: true },
    node: { configMapPeriodMs: 60_000 },
  });
  return { swarm, audit: new Audit(swarm.playground.plane.auditLog ?? '') };
}

afterAll(async () => {
  for (const figures of [groupFigures, finiteFigures, jobFigures]) figures.print();
  await (await arena).swarm.stop();
  await clock.stop();
});

describe('a fault in a state', () => {
  for (const row of chosen)
    (canRun(row) ? it : it.skip)(
      `every promise holds in cell ${row.title}`,
      async () => {
        const problem = await outcomes.get(row.id);
        if (problem !== undefined) throw problem;
      },
      CELL_MS,
    );
});
