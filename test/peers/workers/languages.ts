// What scripts/test-peers.ts has found of each language; undefined: it is not to be had here.
import { fileURLToPath } from 'node:url';

export const samples = fileURLToPath(new URL('../../../samples/workers', import.meta.url));

export const python = process.env['SWARM_PYTHON'] || undefined;
/** The folder of what `buildGoSamples` has built. */
export const goSamples = process.env['SWARM_GO_SAMPLES'] || undefined;
