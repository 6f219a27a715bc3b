// How does a user start this swarmctl from any folder of another terminal?
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isOnPath } from './on-path.ts';

/** As a word of a shell: its name where PATH has it, else the file of this checkout. */
export function ownCommand(): string {
  const inCheckout = fileURLToPath(new URL('../../../bin/swarmctl', import.meta.url));
  return isOnPath('swarmctl') || !existsSync(inCheckout) ? 'swarmctl' : shellWord(inCheckout);
}

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
