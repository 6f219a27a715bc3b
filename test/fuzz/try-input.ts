// What is the outcome of one input? A word for it, or a finding.
import { prototypeGuard } from './oracles.ts';
import { Broken, type Target } from './target.ts';

export type Finding = { readonly kind: string; readonly message: string };
export type Tried = { readonly outcome: string } | { readonly finding: Finding };

const guardPrototypes = prototypeGuard();

export async function tryInput(target: Target, input: string): Promise<Tried> {
  try {
    const outcome = target.check(input);
    const word = typeof outcome === 'string' ? outcome : await outcome;
    guardPrototypes();
    return { outcome: word };
  } catch (error) {
    if (
      error instanceof Broken &&
      error.isDifference &&
      target.form === 'json' &&
      escapedKey.test(input)
    )
      return { outcome: 'misread' };
    return { finding: findingOf(error) };
  }
}

/**
 * V8 may read such a key of JSON as another one, and differently the next time (nodejs/node#63785):
 * comparing two results proves nothing.
 */
const escapedKey = /"[^"\\]*\\.(?:[^"\\]|\\.)*"\s*:/s;

function findingOf(error: unknown): Finding {
  if (error instanceof Broken) return { kind: error.kind, message: error.message };
  if (!(error instanceof Error)) return { kind: `throws ${typeof error}`, message: String(error) };
  const place = /(?:src|node_modules)\/\S+?\.m?[jt]s/.exec(error.stack ?? '')?.[0] ?? '';
  return {
    kind: `throws ${error.name} in ${place}`,
    message: `throws ${error.stack?.split('\n').slice(0, 4).join(' ') ?? error.message}`,
  };
}

/** The message without its quotes and numbers, which differ from input to input. */
export const outcomeOf = (message: string): string =>
  message
    .replace(/"(?:[^"\\]|\\.)*"|`[^`]*`|\([^)]*\)/g, '…')
    .replace(/\d+/g, '0')
    .slice(0, 60);
