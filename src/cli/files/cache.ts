// Where does swarmctl keep its cache?
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';

export const cacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'swarm-operator');

/**
 * Node runs the code that it finds there: only the user may write to the folder. Where swarmctl
 * cannot write, it starts more slowly.
 */
export const keepCompiled = (): void =>
  void enableCompileCache(path.join(cacheFolder(), 'compiled'));
