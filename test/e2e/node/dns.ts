// Who answers when pods look up the names of Services and of each other? CoreDNS, beside the
// control plane.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Component } from '../../../src/playground/control-plane/component.ts';
import type { ControlPlane } from '../../../src/playground/control-plane/control-plane.ts';
import type { Guard } from '../../../src/playground/processes/guard.ts';

export const clusterDomain = 'cluster.local';

export const dnsUser = 'system:coredns';

export type DnsOptions = {
  readonly file: string;
  readonly plane: ControlPlane;
  readonly folder: string;
  readonly guard: Guard;
};

/** On every address of the test's host. It knows no other names, and refuses them at once. */
export function clusterDns({ file, plane, folder, guard }: DnsOptions): Component {
  const settings = path.join(folder, 'Corefile');
  writeFileSync(
    settings,
    `.:53 {
  errors
  kubernetes ${clusterDomain} {
    kubeconfig ${plane.kubeconfigFor(dnsUser)}
  }
}
`,
  );
  return new Component({ name: 'coredns', file, arguments: ['-conf', settings], folder, guard });
}
