// Where does swarmctl keep its cache?
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

export const cacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'swarm-operator');

/**
 * Node runs the code that it finds there, so the folder is the user's own. Without the right to
 * write there, swarmctl only starts more slowly.
 */
export const keepCompiled = (): void =>
  void enableCompileCache(path.join(cacheFolder(), 'compiled'));
