// Where is kept what can be made again?
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

export const cacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'swarm-operator');

/**
 * Of the user's own: what is kept is trusted to be what was compiled. Where it cannot be written,
 * all goes on without.
 */
export const keepCompiled = (): void =>
  void enableCompileCache(path.join(cacheFolder(), 'compiled'));
