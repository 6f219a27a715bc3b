// Commands for a user who looks around in the demo's cluster.
import type { Line } from '../../cli/render.ts';
import type { DemoCluster } from '../cluster/cluster.ts';
import { NAMESPACE, targets } from '../cluster/sample.ts';

export function hintsFor({ kubeconfig, kubectl, operator }: DemoCluster): readonly Line[] {
  const { tv, market } = targets;
  const inNamespace = `kubectl -n ${NAMESPACE}`;
  const hints: readonly (readonly [command: string, comment: string])[] = [
    [`${inNamespace} get swarmpools -w`, 'the pools, with every change'],
    [`${inNamespace} describe swarmpool/${tv.pool}`, 'workers, last changes, and reasons'],
    [`${inNamespace} scale sts/${tv.statefulSet} --replicas=7`, 'add workers'],
    [`${inNamespace} scale swarmpool/${market.pool} --replicas=4`, 'hand feeds over'],
    [`${inNamespace} edit swarmpool/${tv.pool}`, 'change the list, add weights'],
    [`${inNamespace} get cm/${tv.pool}-assignments -o yaml`, 'the assignment'],
    [`${inNamespace} logs -f ${market.statefulSet}-0`, 'log of a worker'],
    [`tail -f ${operator.logFile}`, 'log of the operator'],
  ];
  const width = Math.max(...hints.map(([command]) => command.length));
  return [
    '',
    [
      { text: 'The demo runs until Ctrl-C, and shows your changes here and at ', style: 'strong' },
      { text: operator.page, style: 'news' },
    ],
    [{ text: 'In another terminal:', style: 'strong' }],
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    ...(kubectl.program === 'kubectl'
      ? []
      : [`  alias kubectl=${kubectl.program}   # if you have none`]),
    ...hints.map(
      ([command, comment]): Line => [
        { text: `  ${command.padEnd(width)}` },
        { text: `  # ${comment}`, style: 'faint' },
      ],
    ),
    '',
  ];
}
