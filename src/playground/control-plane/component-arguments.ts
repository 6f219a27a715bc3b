// The files of a control plane, and the arguments of its components.
import path from 'node:path';

export interface ControlPlaneLayout {
  readonly folder: string;
  readonly ports: Ports;
  /** At which pods of a real node reach the API server; undefined: only this machine does. */
  readonly address: string | undefined;
  readonly audit: boolean;
  readonly nodeMonitorGraceSeconds: number;
}

export interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly controllerManager: number;
}

export function filesIn(folder: string) {
  const file = (name: string): string => path.join(folder, name);
  return {
    etcdData: file('etcd'),
    certificates: file('certificates'),
    etcd: pairIn(file('certificates'), 'etcd'),
    /** The API server's client certificate, for etcd and the nodes. */
    apiServerClient: pairIn(file('certificates'), 'apiserver-client'),
    /** The API server makes it itself; the controller manager serves with it as well. */
    serving: pairIn(file('certificates'), 'apiserver'),
    authority: file('ca.crt'),
    serviceAccountKey: file('service-accounts.key'),
    tokens: file('tokens.csv'),
    auditPolicy: file('audit-policy.yaml'),
    auditLog: file('audit.log'),
    kubeconfig: file('kubeconfig'),
    controllerManagerKubeconfig: file('controller-manager.kubeconfig'),
  };
}

/** Files of a certificate and its key. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

function pairIn(folder: string, name: string): Pair {
  return { certificate: path.join(folder, `${name}.crt`), key: path.join(folder, `${name}.key`) };
}

export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

/** The name of the only etcd member. */
export const MEMBER = 'playground';

export function etcdUrls(ports: Ports): { readonly client: string; readonly peer: string } {
  return { client: `https://127.0.0.1:${ports.etcd}`, peer: `https://127.0.0.1:${ports.etcdPeer}` };
}

export function etcdArguments({ folder, ports }: ControlPlaneLayout): string[] {
  const { client, peer } = etcdUrls(ports);
  const { etcd, apiServerClient, etcdData } = filesIn(folder);
  return [
    `--data-dir=${etcdData}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--name=${MEMBER}`,
    `--initial-cluster=${MEMBER}=${peer}`,
    // A client of etcd bypasses all rights of Kubernetes: only the API server may connect, and no
    // web page.
    `--cert-file=${etcd.certificate}`,
    `--key-file=${etcd.key}`,
    '--client-cert-auth',
    `--trusted-ca-file=${apiServerClient.certificate}`,
    '--enable-grpc-gateway=false',
    `--peer-cert-file=${etcd.certificate}`,
    `--peer-key-file=${etcd.key}`,
    '--peer-client-cert-auth',
    `--peer-trusted-ca-file=${etcd.certificate}`,
    // A crash of the machine may lose data, a crash of etcd does not.
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

export function apiServerArguments(layout: ControlPlaneLayout): string[] {
  const { folder, ports, address, audit } = layout;
  const files = filesIn(folder);
  return [
    `--etcd-servers=${etcdUrls(ports).client}`,
    `--etcd-cafile=${files.etcd.certificate}`,
    `--etcd-certfile=${files.apiServerClient.certificate}`,
    `--etcd-keyfile=${files.apiServerClient.key}`,
    `--kubelet-client-certificate=${files.apiServerClient.certificate}`,
    `--kubelet-client-key=${files.apiServerClient.key}`,
    '--anonymous-auth=false',
    `--secure-port=${ports.apiServer}`,
    `--bind-address=${address === undefined ? '127.0.0.1' : '0.0.0.0'}`,
    // The API server ends without it on a machine that has no default route.
    `--advertise-address=${address ?? '127.0.0.1'}`,
    // A loopback address cannot be an endpoint of the Service `kubernetes`.
    ...(address === undefined ? ['--endpoint-reconciler-type=none'] : []),
    `--cert-dir=${files.certificates}`,
    `--token-auth-file=${files.tokens}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged',
    '--kubelet-preferred-address-types=InternalIP',
    // Twice the defaults, so that tests of scale meet their own limits first.
    '--max-requests-inflight=800',
    '--max-mutating-requests-inflight=400',
    ...(audit
      ? [
          `--audit-policy-file=${files.auditPolicy}`,
          `--audit-log-path=${files.auditLog}`,
          '--audit-log-mode=blocking',
        ]
      : []),
  ];
}

export function controllerManagerArguments(layout: ControlPlaneLayout): string[] {
  const { folder, ports, nodeMonitorGraceSeconds } = layout;
  const files = filesIn(folder);
  return [
    `--kubeconfig=${files.controllerManagerKubeconfig}`,
    `--secure-port=${ports.controllerManager}`,
    '--bind-address=127.0.0.1',
    `--tls-cert-file=${files.serving.certificate}`,
    `--tls-private-key-file=${files.serving.key}`,
    `--service-account-private-key-file=${files.serviceAccountKey}`,
    `--root-ca-file=${files.authority}`,
    '--use-service-account-credentials=false',
    '--leader-elect=false',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
    '--node-monitor-period=1s',
    `--node-monitor-grace-period=${nodeMonitorGraceSeconds}s`,
  ];
}
