// swarmctl version: which version is this, and which operators run in the cluster?
import { readFileSync } from 'node:fs';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import { asString, dig } from '../../api/objects.ts';
import { type Command, clusterFlags, command, exitCodes, output } from '../arguments/command.ts';
import { print } from '../arguments/terminal.ts';
import { askOperators, type OperatorsText, type OperatorText } from '../cluster/operator.ts';

export const version: Command = command(
  {
    name: 'version',
    summary: 'show the version of swarmctl, and which kinds the operator reconciles',
    operands: { usage: '', least: 0, most: 0 },
    about: `Shows the version of this program, of its Node, and of its API; then each operator that leads in the cluster: where its Lease is,
which namespaces it watches, and which kinds it reconciles, as it writes on that Lease. Only one operator should lead for a namespace. Needs
the permission to list leases in all namespaces, or in the operator's own. A kind is off if its CRD is not installed, if a permission is
missing, or if --kinds excludes it.`,
    examples: [
      ['swarmctl version', 'with the operators of all namespaces'],
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
        help: "the operator's namespace; default: all, or swarm-operator where you may not list leases in all",
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
    const answer = values.client ? undefined : await askOperators(values);
    print(terminal, values.output, { ...client, ...answer }, () => [
      `swarmctl ${client.swarmctl} (Node ${client.node}, ${client.api})`,
      ...(answer === undefined ? [] : answerLines(answer)),
    ]);
    return exitCodes.ok;
  },
);

const answerLines = (answer: OperatorsText): readonly string[] =>
  'problem' in answer ? [`operator: ${answer.problem}`] : answer.operators.flatMap(operatorLines);

function operatorLines({ leader, lease, namespaces, runsAs, kinds: known }: OperatorText) {
  const who = leader === '' ? 'no leader' : `leader ${leader}`;
  const where = runsAs === undefined ? '' : `, ${runsAs}`;
  return [
    `operator: ${who} (Lease ${lease}${where}, namespaces: ${namespaces})`,
    ...known.map(
      ({ kind, state, why }) => `${kind}: ${state}${why === undefined ? '' : ` (${why})`}`,
    ),
  ];
}
