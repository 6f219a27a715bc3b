// What the options of a control plane change in the calls of its components.
import { describe, expect, it } from '@jest/globals';
import {
  apiServerArguments,
  type ControlPlaneLayout,
  controllerManagerArguments,
  etcdArguments,
} from '../../../src/playground/control-plane/component-arguments.ts';

const layout: ControlPlaneLayout = {
  folder: '/plane',
  ports: { etcd: 1, etcdPeer: 2, apiServer: 3, controllerManager: 4 },
  address: undefined,
  audit: false,
  nodeMonitorGraceSeconds: 10,
};

it('the control plane listens on loopback only, unless an address is given', () => {
  const urls = etcdArguments(layout).flatMap((argument) => argument.match(/https?:.*/) ?? []);
  expect(new Set(urls)).toEqual(new Set(['https://127.0.0.1:1', 'https://127.0.0.1:2']));
  expect(apiServerArguments(layout)).toEqual(
    expect.arrayContaining(['--bind-address=127.0.0.1', '--secure-port=3']),
  );
  expect(controllerManagerArguments(layout)).toEqual(
    expect.arrayContaining(['--bind-address=127.0.0.1', '--secure-port=4']),
  );
  expect(apiServerArguments({ ...layout, address: '10.244.0.1' })).toEqual(
    expect.arrayContaining(['--bind-address=0.0.0.0', '--advertise-address=10.244.0.1']),
  );
});

it('only the API server may connect to etcd, which serves no web page', () => {
  const pair = (name: string, kind: 'crt' | 'key'): string => `/plane/certificates/${name}.${kind}`;
  const etcd = [
    '--client-cert-auth',
    `--trusted-ca-file=${pair('apiserver-client', 'crt')}`,
    '--enable-grpc-gateway=false',
  ];
  const peers = ['--peer-client-cert-auth', `--peer-trusted-ca-file=${pair('etcd', 'crt')}`];
  expect(etcdArguments(layout)).toEqual(expect.arrayContaining([...etcd, ...peers]));
  const client = [
    `--etcd-certfile=${pair('apiserver-client', 'crt')}`,
    `--etcd-keyfile=${pair('apiserver-client', 'key')}`,
  ];
  expect(apiServerArguments(layout)).toEqual(
    expect.arrayContaining([...client, `--etcd-cafile=${pair('etcd', 'crt')}`]),
  );
});

describe('the audit log', () => {
  it.each([
    [
      'is written when asked for',
      true,
      ['--audit-policy-file=/plane/audit-policy.yaml', '--audit-log-path=/plane/audit.log'],
    ],
    ['is not written otherwise', false, []],
  ])('the audit log %s', (_, audit, expected) => {
    const given = apiServerArguments({ ...layout, audit }).filter((argument) =>
      argument.includes('/audit'),
    );
    expect(given).toEqual(expected);
  });
});

it('the controller manager gets the grace period for nodes', () => {
  expect(controllerManagerArguments({ ...layout, nodeMonitorGraceSeconds: 3 })).toContain(
    '--node-monitor-grace-period=3s',
  );
});
