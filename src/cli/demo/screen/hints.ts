// How does a user look around in what the demo has set up?
import type { Line } from '../../render.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { target } from '../cluster/sample.ts';

export function hintsFor({ kubeconfig, kubectl, operator }: Pick<Cluster, 'kubeconfig' | 'kubectl' | 'operator'>): readonly Line[] {
  const { namespace, pool, statefulSet } = target;
  const inNamespace = `kubectl -n ${namespace}`;
  const hints: readonly (readonly [command: string, comment: string])[] = [
    [`${inNamespace} get swarmpools -w`, 'what the API says'],
    [`${inNamespace} scale sts/${statefulSet} --replicas=7`, 'workers come and go'],
    [`${inNamespace} edit swarmpool/${pool}`, 'change the list'],
    [`${inNamespace} get cm/${pool}-assignments -o yaml`, 'what workers are told'],
    [`${inNamespace} logs -f ${statefulSet}-0`, 'what a worker does'],
    [`tail -f ${operator.logFile}`, 'what the operator does'],
  ];
  const width = Math.max(...hints.map(([command]) => command.length));
  return [
    '',
    [{ text: 'It stays up until Ctrl-C and shows what you do. In another terminal:', style: 'strong' }],
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    ...(kubectl === 'kubectl' ? [] : [`  alias kubectl=${kubectl}`]),
    ...hints.map(([command, comment]): Line => [{ text: `  ${command.padEnd(width)}` }, { text: `  # ${comment}`, style: 'faint' }]),
    '',
  ];
}
