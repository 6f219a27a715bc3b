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
    summary: 'show the version of swarmctl, and which kinds the operator reconciles',
    operands: { usage: '', least: 0, most: 0 },
    about: `Shows the version of this program, of its Node, and of its API; then which kinds the operator in the cluster reconciles, as the
operator's Lease records (needs the permission to list leases in the operator's namespace). A kind is off if its CRD is not installed, if
a permission is missing, or if --kinds excludes it.`,
    examples: [
      ['swarmctl version', 'with the operator in namespace swarm-operator'],
      ['swarmctl version --client -o json', 'only swarmctl, as JSON'],
    ],
    flags: {
      client: { type: 'switch', help: 'show only the version of swarmctl; needs no cluster' },
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
    `operator: ${leader === '' ? 'no leader' : `leader ${leader}`}`,
    ...known.map(
      ({ kind, state, why }) => `${kind}: ${state}${why === undefined ? '' : ` (${why})`}`,
    ),
  ];
}
