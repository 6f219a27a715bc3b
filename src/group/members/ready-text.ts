// Why does a member not have what it is to have? With its pods' own reason.
import { listed } from '../../core/text.ts';
import type { FreeMember } from './members.ts';

const MOST_TOLD = 3;

/** "Deployment/web: 2 of 4 are ready (ImagePullBackOff)" */
export const notReadyText = (members: readonly FreeMember[]): string =>
  listed(
    members.map((member) => `${member.key}: ${whyNotReady(member)}`),
    MOST_TOLD,
  );

export function whyNotReady({ found, target, scaleRefused }: FreeMember): string {
  if (scaleRefused !== undefined) return scaleRefused;
  if (found.replicas !== target) return `has ${found.replicas} replicas, wants ${target}`;
  const { generation, observedGeneration, present, ready, surge = 0 } = found.size;
  if (observedGeneration < generation) return 'its controller has not observed its new size yet';
  if (present > target + surge) return `has ${present} pods, wants ${target}`;
  if (ready >= target) return found.isConverged ? 'not ready' : 'its workers have not converged';
  const trouble = found.trouble === undefined ? '' : ` (${found.trouble})`;
  return `${ready} of ${target} are ready${trouble}`;
}
