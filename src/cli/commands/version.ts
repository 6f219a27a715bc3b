// swarmctl version: which version is this, and what does the operator of the cluster work for?
import { readFileSync } from 'node:fs';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import { asString, dig } from '../../api/objects.ts';
import { type Command, clusterFlags, command, exitCodes, output } from '../arguments/command.ts';
import { print } from '../arguments/terminal.ts';
import { askOperator, type OperatorText } from '../cluster/operator.ts';

export const version: Command = command(
  {
    name: 'version',
    summary: 'the version of this program, and what the operator works for',
    operands: { usage: '', least: 0, most: 0 },
    about: `The version of this program, of the Node that runs it, and of the API that it speaks; then what the operator in the cluster works
for, as its Lease says (right: list leases in the operator's namespace): a kind is off where its definition is not installed, a right is
missing, or --kinds leaves it out.`,
    examples: [
      ['swarmctl version', 'and the operator in namespace swarm-operator'],
      ['swarmctl version --client -o json', 'this program alone, for programs'],
    ],
    flags: {
      client: { type: 'switch', help: 'this program alone; no cluster is asked' },
      output,
      ...clusterFlags,
      namespace: {
        type: 'text',
        value: 'NAME',
        short: 'n',
        fallback: 'swarm-operator',
        help: "the operator's namespace",
      },
    },
  },
  async ({ values }, terminal) => {
    const manifest: unknown = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    );
    const client = {
      swarmctl: asString(dig(manifest, 'version')) ?? 'unknown',
      node: process.version,
      api: apiVersionOf(kinds.SwarmPool),
    };
    const operator = values.client ? undefined : await askOperator(values);
    print(terminal, values.output, { ...client, ...(operator && { operator }) }, () => [
      `swarmctl ${client.swarmctl} (Node ${client.node}, ${client.api})`,
      ...(operator === undefined ? [] : operatorLines(operator)),
    ]);
    return exitCodes.ok;
  },
);

function operatorLines(operator: OperatorText): readonly string[] {
  if ('problem' in operator) return [`operator: ${operator.problem}`];
  const { leader, kinds: known } = operator;
  return [
    `operator: ${leader || 'no replica'} leads`,
    ...known.map(
      ({ kind, state, why }) => `${kind}: ${state}${why === undefined ? '' : ` (${why})`}`,
    ),
  ];
}
