// Commands for a user who looks around in the demo's cluster.
import type { Line } from '../../cli/render.ts';
import type { DemoCluster } from '../cluster/cluster.ts';
import { NAMESPACE, targets } from '../cluster/sample.ts';

export function hintsFor({
  kubeconfig,
  kubectl,
  operator,
}: Pick<DemoCluster, 'kubeconfig' | 'kubectl' | 'operator'>): readonly Line[] {
  const { tv, market } = targets;
  const inNamespace = `kubectl -n ${NAMESPACE}`;
  const hints: readonly (readonly [command: string, comment: string])[] = [
    [`${inNamespace} get swarmpools -w`, 'what the API says'],
    [`${inNamespace} describe swarmpool/${tv.pool}`, 'each worker, the last changes, and why'],
    [`${inNamespace} scale sts/${tv.statefulSet} --replicas=7`, 'workers come and go'],
    [`${inNamespace} scale swarmpool/${market.pool} --replicas=4`, 'feeds are handed over'],
    [`${inNamespace} edit swarmpool/${tv.pool}`, 'change the list, add weights'],
    [`${inNamespace} get cm/${tv.pool}-assignments -o yaml`, 'what workers are told'],
    [`${inNamespace} logs -f ${market.statefulSet}-0`, 'what a worker does'],
    [`tail -f ${operator.logFile}`, 'what the operator does'],
  ];
  const width = Math.max(...hints.map(([command]) => command.length));
  return [
    '',
    [
      { text: 'It stays up until Ctrl-C and shows what you do, here and at ', style: 'strong' },
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
