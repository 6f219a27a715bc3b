// Does the output match the page? Ages, generated names and the width of columns may differ; …
// matches anything.

const age = String.raw`(?:-|\d+(?:d|h|m|s)(?:\d+[hms])*)`;

/**
 * `isLoose`: numbers may differ as well, and the number of similar lines, where they depend on how
 * quickly pods were Ready.
 */
export function isAsShown(shown: readonly string[], told: string, isLoose = false): boolean {
  return patternOf(shown, isLoose).test(`${normal(told)}\n`);
}

function patternOf(shown: readonly string[], isLoose: boolean): RegExp {
  const lines = shown.join('\n').trim().split('\n').map(normal);
  const parts = lines.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${lineOf(line, isLoose)}\\n`));
  const kinds = parts.filter((part, at) => part !== parts[at - 1]).map((part) => `(?:${part})+`);
  return new RegExp(`^${(isLoose ? kinds : parts).join('')}$`);
}

const lineOf = (line: string, isLoose: boolean): string =>
  line
    .split(' ')
    .map((word) => wordOf(word, isLoose))
    .join(' ');

function wordOf(word: string, isLoose: boolean): string {
  if (new RegExp(`^${age}$`).test(word)) return age;
  if (isLoose && /^\d+$/.test(word)) return String.raw`\d+`;
  const madeUp = /^(?<kind>\S*?)-[a-f0-9]{8,10}-[a-z0-9]{5}$/.exec(word);
  if (madeUp !== null) return `${literal(madeUp.groups?.['kind'] ?? '')}-[a-z0-9]+-[a-z0-9]+`;
  return literal(word).replaceAll('…', '.*?');
}

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Ignores colours, blanks at the ends of lines and the width of columns. */
const normal = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .join('\n');
