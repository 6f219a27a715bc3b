// Do pods have to be replaced for a change to be followed?
import type { SwarmPoolSpec } from '../../api/validate.ts';

export const isByReplacement = ({ refresh, probe }: SwarmPoolSpec): boolean =>
  refresh.mode === 'Restart' || probe.type === 'None';
