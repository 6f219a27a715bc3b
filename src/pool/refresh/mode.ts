// How do workers of a pool come to know of a change: are they told, or are their pods replaced?
import type { SwarmPoolSpec } from '../../api/validate.ts';

/** Do pods have to be replaced for a change to be taken up? */
export const isByReplacement = ({ refresh, probe }: SwarmPoolSpec): boolean =>
  refresh.mode === 'Restart' || probe.type === 'None';
