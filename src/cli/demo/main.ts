// How does the demo go, from the start of a cluster to the end of everything it made?
import { messageOf } from '../../playground/failure.ts';
import type { Line } from '../render.ts';
import type { DemoOptions } from './arguments.ts';
import { type Cluster, openGivenCluster, openLocalCluster } from './cluster/cluster.ts';
import { apply, readSample, type Sample, target } from './cluster/sample.ts';
import { type Interrupt, Interrupted, listenForInterrupts } from './interrupt.ts';
import { play } from './play.ts';
import { hintsFor } from './screen/hints.ts';
import { notTried, type Outcome } from './screen/outcome.ts';
import { makeScreen, type Screen } from './screen/screen.ts';
import { countOf, recordCount, summaryOf } from './screen/summary.ts';
import { Stage } from './stage.ts';
import { stayUp } from './stay.ts';
import { type Step, storyOf } from './story/story.ts';

/** So that one can see what has moved before the next thing happens. */
const PAUSE_MS = 2_500;
const INTERRUPTED = 130;

/** Once the story is told, Ctrl-C is how it is meant to end. */
type Ending = 'Told' | 'Interrupted' | 'Failed';

/** Answers the exit code. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const screen = makeScreen(process.stdout, process.env);
  const interrupt = listenForInterrupts(
    (why) => screen.say(`${why}: ending everything that was started (again: at once) …`),
    () => endAtOnce(options),
  );
  const { outcomes, ending } = await perform(options, screen, interrupt);
  interrupt.stopListening();
  if (ending === 'Interrupted') return INTERRUPTED;
  const count = countOf(outcomes);
  if (options.isOnce) {
    screen.say('', ...summaryOf(outcomes, screen.width), '', `${count.passed} passed, ${count.failed} failed`);
    recordCount(count, process.env['SWARM_RESULTS']);
  }
  return ending === 'Failed' || count.failed > 0 ? 1 : 0;
}

async function perform(
  options: DemoOptions,
  screen: Screen,
  interrupt: Interrupt,
): Promise<{ outcomes: readonly Outcome[]; ending: Ending }> {
  const sample = readSample(options.workerImage);
  const story = storyOf(sample.streams, options.kubeconfig === undefined);
  let outcomes: readonly Outcome[] = [];
  try {
    await withCluster(options, screen, interrupt, async (cluster) => {
      await setUp(cluster, sample, screen, interrupt);
      const stage = new Stage(cluster, screen, sample);
      outcomes = await tellStory(story, stage, options, interrupt);
      if (!options.isOnce) await lookAround(stage, interrupt);
    });
    return { outcomes, ending: 'Told' };
  } catch (error) {
    const isTold = outcomes.length > 0;
    if (error instanceof Interrupted) return { outcomes, ending: isTold ? 'Told' : 'Interrupted' };
    screen.say(...`✗ ${messageOf(error)}`.split('\n').map((text): Line => [{ text, style: 'bad' }]));
    return { outcomes: isTold ? outcomes : story.map(({ title }) => notTried(title)), ending: 'Failed' };
  }
}

async function withCluster(
  options: DemoOptions,
  screen: Screen,
  interrupt: Interrupt,
  use: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const cluster = await open(options, screen, interrupt);
  try {
    await use(cluster);
  } finally {
    screen.close();
    const started = performance.now();
    const ended = await cluster.stop();
    screen.say(`Ended after ${((performance.now() - started) / 1_000).toFixed(1)} s: ${ended}.`);
  }
}

function open({ kubeconfig }: DemoOptions, screen: Screen, interrupt: Interrupt): Promise<Cluster> {
  return kubeconfig === undefined ? openLocalCluster(screen, interrupt) : openGivenCluster(kubeconfig, screen);
}

async function setUp({ api, operator }: Cluster, { namespace }: Sample, screen: Screen, { signal }: Interrupt): Promise<void> {
  signal.throwIfAborted();
  // Where it keeps its Lease has to be there before it starts.
  await apply(api, namespace);
  await operator.start();
  screen.say(
    'The operator is up. A step counts when each stream runs at exactly one worker:',
    'the workers themselves are asked. + marks a stream that has just come.',
    '',
  );
  signal.throwIfAborted();
}

/** Each step goes on from the one before: after a failure the rest would tell nothing. */
async function tellStory(story: readonly Step[], stage: Stage, { isOnce }: DemoOptions, interrupt: Interrupt): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [at, step] of story.entries()) {
    if (outcomes.at(-1)?.result === 'failed') break;
    if (at > 0 && stage.screen.isLive && !isOnce) await interrupt.sleep(PAUSE_MS);
    outcomes.push(await play(step, `${at + 1}/${story.length}`, stage, interrupt));
  }
  return [...outcomes, ...story.slice(outcomes.length).map(({ title }) => notTried(title))];
}

async function lookAround(stage: Stage, interrupt: Interrupt): Promise<void> {
  stage.screen.say(...hintsFor(stage.cluster));
  await stayUp(stage, interrupt);
}

function endAtOnce({ kubeconfig }: DemoOptions): never {
  const left =
    kubeconfig === undefined
      ? 'what was started goes with it within seconds.'
      : `in the cluster may be left: kubectl --kubeconfig ${kubeconfig} delete namespace ${target.namespace}`;
  process.stdout.write(`Ended at once; ${left}\n`);
  process.exit(INTERRUPTED);
}
