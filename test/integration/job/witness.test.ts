// Do gangs that start, end and fail at random ever have more pods than their queue grants? A
// witness lists all pods of a real API server meanwhile.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Random } from '../../sim/random.ts';
import { PodWitness } from '../../support/pod-witness.ts';
import { eventually } from '../../support/processes.ts';
import { type Job, makeJob, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

const namespace = 'witnessed';
const GANGS = 24;
const QUOTA = 4;
/** The number of no rank. */
const NONE = 9;

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start({ nodes: 2 });
  await swarm.operator('--kinds', 'queues,jobs');
  await makeQueue(swarm, namespace, { pods: String(QUOTA) });
});

afterAll(() => swarm?.stop());

type Gang = { readonly job: Job; readonly endsWell: boolean };

/** All ranks run for a while, and one of them may fail. */
async function gang(random: Random, name: string): Promise<Gang> {
  const size = random.between(1, QUOTA);
  const launcher = random.pick([{}, { start: 'Together' }, { type: 'Leader' }]);
  const fails = random.chance(0.4) ? random.between(0, size - 1) : NONE;
  const seconds = random.between(1, 8) / 10;
  const job = await makeJob(swarm, namespace, name, {
    ...{ size, launcher },
    command: ['sh', '-c', `sleep ${seconds}; [ "$SWARM_RANK" != ${fails} ] || exit 3`],
    template: { spec: { terminationGracePeriodSeconds: 1 } },
  });
  // The others of a leader wait, and run no command.
  const isLed = 'type' in launcher && size > 1;
  return { job, endsWell: isLed ? fails !== 0 : fails === NONE };
}

it(`of ${GANGS} gangs that start, end and fail at random, never more pods live than the queue grants`, async () => {
  const random = new Random(47);
  const witness = new PodWitness(swarm.api, namespace, QUOTA);
  const names = Array.from({ length: GANGS }, (_, number) => `gang-${number}`);
  const gangs: Gang[] = [];
  for (const name of names) gangs.push(await gang(random, name));
  for (const { job, endsWell } of gangs)
    await eventually(
      `${job.name} has ended as it should`,
      async () => (await job.status()).state === (endsWell ? 'Succeeded' : 'Failed'),
      240,
    );
  expect(gangs.filter(({ endsWell }) => endsWell).length).toBeGreaterThan(0);
  const { problems, mostLiving } = await witness.stop();
  expect(problems).toEqual([]);
  expect(mostLiving).toBeGreaterThanOrEqual(2);
  expect(mostLiving).toBeLessThanOrEqual(QUOTA);
});
