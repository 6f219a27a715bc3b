// Do the promises about queues and jobs hold on the local Kubernetes, whatever users do at random
// while operators are killed and frozen? npm run walk -- [--actions N] [--seed N]
import { figuresText, Walk } from '../test/walk/walk.ts';
import { getBinaries } from './needs.ts';
import { parseOptions } from './options.ts';

const most = 999_999_999;
const { values } = parseOptions({
  name: 'walk --',
  summary:
    'random actions of users of queues and jobs, with two operators that are killed and frozen',
  operands: { usage: '', least: 0, most: 0 },
  about: `A real API server, a node that runs pods as processes, and two operators as processes of their own. A witness watches all pods, whoever owns them.
After every hundred actions all rests, until nothing moves. The seed determines what users try, not how fast the machine is.
Exit codes: 0 no promise was broken, 1 at least one was, 2 wrong command line.`,
  flags: {
    actions: {
      type: 'number',
      value: 'NUMBER',
      fallback: 500,
      least: 1,
      most: 100_000,
      help: 'the number of actions',
    },
    seed: {
      type: 'whole',
      value: 'NUMBER',
      least: 0,
      most,
      help: 'seed of the actions; default: random',
    },
    told: { type: 'switch', help: 'print each action' },
  },
  examples: [
    ['npm run walk -- --actions 1500', 'half an hour'],
    ['npm run walk -- --actions 100 --seed 7 --told', 'a short walk again, action by action'],
  ],
});
const seed = values.seed ?? Date.now() % most;
await getBinaries();
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
console.log(`▸ ${values.actions} actions, seed ${seed}`);
const figures = await Walk.run({
  ...{ actions: values.actions, seed, signal: ending.signal, isTold: values.told },
  say: (line) => console.log(line),
});
console.log(`seed ${seed}: ${figuresText(figures)}`);
process.exit(figures.failures > 0 ? 1 : ending.signal.aborted ? 130 : 0);
