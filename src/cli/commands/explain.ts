// swarmctl explain: why is a stream where it is, or nowhere?
import { decidePool } from '../../pool/decide.ts';
import { type ExplainResult, explain as explainStream } from '../../pool/plan/explain.ts';
import {
  type Command,
  clusterFlags,
  command,
  exitCodes,
  output,
  poolExitCodes,
} from '../arguments/command.ts';
import { blockedText, print } from '../arguments/terminal.ts';
import { withCluster } from '../cluster/connect.ts';
import { observePool } from '../cluster/observe-pool.ts';
import type { Line, TextStyle } from '../render.ts';

export const explain: Command = command(
  {
    name: 'explain',
    summary: 'show why a stream runs on its worker, or why it has none',
    operands: { usage: 'POOL STREAM', least: 2, most: 2 },
    about: `Reads the pool and probes its workers once, as the operator does. Shows which worker has the stream and why: its pin, its weight, its
group, or because it was there before. Or shows which worker has not released it yet, why its worker is down and when others take over, or
why no worker has it and what would be enough.

${poolExitCodes}
1 means: no worker has confirmed that it runs the stream.`,
    examples: [
      ['swarmctl explain tv cnbc', 'one stream'],
      ['swarmctl explain tv stream:cars:new -o json', 'as JSON'],
    ],
    flags: { output, ...clusterFlags },
  },
  ({ values, operands: [pool = '', stream = ''] }, terminal) =>
    withCluster(values, async ({ api, namespace }) => {
      const world = await observePool(api, namespace, pool);
      const now = Date.now();
      const explained = explainStream(world, decidePool(world, now).basis, stream, now);
      print(terminal, values.output, explained.ok ? explained.explanation : explained.blocked, () =>
        linesOf(explained),
      );
      return explained.ok && ['Confirmed', 'Completed'].includes(explained.explanation.state)
        ? exitCodes.ok
        : exitCodes.no;
    }),
);

const styles = {
  Confirmed: 'good',
  Assigned: 'busy',
  Down: 'bad',
  Moving: 'busy',
  Nowhere: 'bad',
  Completed: 'good',
  Unlisted: 'bad',
} as const satisfies Record<string, TextStyle>;

function linesOf(explained: ExplainResult): readonly Line[] {
  if (!explained.ok) return [[{ text: blockedText(explained.blocked), style: 'bad' }]];
  const { stream, state, worker, next, because } = explained.explanation;
  const way = next === undefined ? (worker ?? 'no worker') : `${worker ?? 'no worker'} -> ${next}`;
  return [
    [
      { text: stream, style: 'strong' },
      { text: `: ${way} ` },
      { text: `(${state})`, style: styles[state] },
    ],
    ...because.map((reason) => `  ${reason}`),
  ];
}
