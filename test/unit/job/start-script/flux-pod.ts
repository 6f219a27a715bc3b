// A pod of a Flux job: its certificate, the addresses of its ranks and the CPU that it requests.
import { mkdirSync } from 'node:fs';
import type { Pod } from './pod.ts';

/** The words of the script: five tasks, port, GPUs and the seconds to end. */
export const flux: readonly string[] = ['flux', '5', '8050', '0', '30'];

export function setUpFlux(pod: Pod): void {
  mkdirSync(pod.at('keys'));
  pod.write('keys/curve.cert', 'the certificate\n');
  pod.write('addresses', '10.0.0.1\n10.0.0.2\n10.0.0.3\n');
  pod.write('cpu', '2500');
}
