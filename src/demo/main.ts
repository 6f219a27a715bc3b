// The demo from the start of its cluster to the removal of everything that it made.
import { errorText } from '../api/text.ts';
import type { Line } from '../cli/render.ts';
import { makeScreen, type Screen } from '../cli/views/screen.ts';
import type { DemoOptions } from './arguments.ts';
import type { DemoCluster } from './cluster/cluster.ts';
import { openGivenCluster, openLocalCluster } from './cluster/open.ts';
import { apply, NAMESPACE, namespaceObject, type PoolName } from './cluster/sample.ts';
import { type Interrupt, Interrupted, listenForInterrupts } from './interrupt.ts';
import { play } from './play.ts';
import { hintsFor } from './screen/hints.ts';
import { countOf, notTried, type Outcome, recordCount, summaryOf } from './screen/outcome.ts';
import { Stage } from './stage.ts';
import { stayUp } from './stay.ts';
import type { PoolStep } from './story/step.ts';
import { tellStory } from './story/story.ts';

/** Time to read the table before the next step. */
const PAUSE_MS = 2_000;
const INTERRUPTED = 130;

/** Returns the exit code. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const screen = makeScreen(process.stdout, process.env);
  const interrupt = listenForInterrupts(
    (why) =>
      screen.say(`${why}: stopping everything that the demo started (repeat to exit at once) …`),
    () => endAtOnce(options),
  );
  const story = tellStory();
  let outcomes: readonly Outcome[] | undefined;
  let hasBroken = false;
  try {
    await withStages(options, screen, interrupt, async (stages, cluster) => {
      await setUp(cluster, screen, interrupt);
      outcomes = await playAll(story, stages, options, interrupt);
      if (options.once) return;
      screen.say(...hintsFor(cluster));
      await stayUp([stages.tv, stages.market], interrupt);
    });
  } catch (error) {
    hasBroken = !(error instanceof Interrupted);
    // Once the story is told, Ctrl-C is how the demo is meant to end.
    if (!hasBroken && outcomes === undefined) return INTERRUPTED;
    const lines = hasBroken ? `✗ ${errorText(error)}`.split('\n') : [];
    screen.say(...lines.map((text): Line => [{ text, style: 'bad' }]));
  } finally {
    interrupt.stopListening();
  }
  const told = outcomes ?? story.map(({ title }) => notTried(title));
  const count = countOf(told);
  if (options.once) {
    const summary = summaryOf(told, screen.width);
    screen.say('', ...summary, '', `${count.passed} passed, ${count.failed} failed`);
    recordCount(count, process.env['SWARM_RESULTS']);
  }
  return hasBroken || count.failed > 0 ? 1 : 0;
}

type Stages = Readonly<Record<PoolName, Stage>>;

async function withStages(
  options: DemoOptions,
  screen: Screen,
  interrupt: Interrupt,
  use: (stages: Stages, cluster: DemoCluster) => Promise<void>,
): Promise<void> {
  const { kubeconfig, workerImage } = options;
  const cluster =
    kubeconfig === undefined
      ? await openLocalCluster(screen, interrupt)
      : await openGivenCluster(kubeconfig, workerImage, screen);
  const stages: Stages = {
    tv: new Stage('tv', cluster, screen),
    market: new Stage('market', cluster, screen),
  };
  try {
    await use(stages, cluster);
  } finally {
    screen.close();
    const started = performance.now();
    await Promise.all(Object.values(stages).map((stage) => stage.close()));
    const ended = await cluster.stop();
    screen.say(`Stopped in ${((performance.now() - started) / 1_000).toFixed(1)} s: ${ended}.`);
  }
}

async function setUp(
  { api, operator }: DemoCluster,
  screen: Screen,
  { signal }: Interrupt,
): Promise<void> {
  signal.throwIfAborted();
  // The operator keeps its Lease in this namespace.
  await apply(api, namespaceObject());
  await operator.start();
  screen.say(
    [{ text: 'Watch it in a browser: ' }, { text: operator.page, style: 'strong' }],
    'The operator is running. It assigns each stream of a list to exactly one worker (a pod), and probes the workers to verify it.',
    'Legend:  $ command   → effect   ✓ verified   + stream that just started on this worker',
  );
  signal.throwIfAborted();
}

/** Each step goes on from the one before: a failure ends the story. */
async function playAll(
  story: readonly PoolStep[],
  stages: Stages,
  { once }: DemoOptions,
  interrupt: Interrupt,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [at, step] of story.entries()) {
    if (outcomes.at(-1)?.result === 'failed') break;
    const stage = stages[step.pool];
    if (at > 0 && stage.screen.isLive && !once) await interrupt.sleep(PAUSE_MS);
    outcomes.push(await play(step, `${at + 1}/${story.length}`, stage, interrupt));
  }
  return [...outcomes, ...story.slice(outcomes.length).map(({ title }) => notTried(title))];
}

function endAtOnce({ kubeconfig }: DemoOptions): never {
  const left =
    kubeconfig === undefined
      ? 'everything that the demo started ends within seconds.'
      : `objects may be left in the cluster; to remove them: kubectl --kubeconfig ${kubeconfig} delete namespace ${NAMESPACE}`;
  process.stdout.write(`Exited at once; ${left}\n`);
  process.exit(INTERRUPTED);
}
