// Reads the text of one setting. Each reader returns a value to go on with, and complains when the
// text is wrong.
import { readFileSync } from 'node:fs';
import { errorText } from '../../api/error-text.ts';
import type { Policy } from '../decide/stream.ts';
import {
  checkTemplate,
  type ReadTemplate,
  splitTemplate,
  type Template,
} from '../launch/command.ts';

/** `from`, such as --port, is named when the text is wrong. */
export type Given = { readonly from: string; readonly text: string };
export type Complain = (problem: string) => void;

export function readWorker({ from, text }: Given, complain: Complain): string {
  if (text === '') complain(`${from}: no name; set it, or POD_NAME from the field metadata.name`);
  return text;
}

export function readAssignedFile(
  { text }: Given,
  podUid: string,
  complain: Complain,
): string | undefined {
  if (text === '') return undefined;
  if (podUid === '')
    complain(
      '--assigned-file: what vouches for this pod names its UID; set POD_UID from the field metadata.uid',
    );
  return text;
}

export function readPort({ from, text }: Given, complain: Complain): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  complain(`${from}: ${JSON.stringify(text)} is no port; allowed is 0 to 65535`);
  return 0;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };
const longestMs = 3_600_000;

export function readTime({ from, text }: Given, leastMs: number, complain: Complain): number {
  const [, amount = '', unit = ''] = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * (unitMs[unit] ?? Number.NaN));
  if (ms >= leastMs && ms <= longestMs) return ms;
  complain(
    `${from}: ${JSON.stringify(text)} is no time; allowed is ${leastMs}ms to 60m, such as 500ms, 10s or 1.5m`,
  );
  return leastMs;
}

export function readOnExit({ from, text }: Given, complain: Complain): Policy['onExit'] {
  if (text === 'restart' || text === 'complete') return text;
  complain(`${from}: ${JSON.stringify(text)} is not allowed; allowed is restart or complete`);
  return 'restart';
}

/** From the words after --, a text or a file; undefined without a command. */
export function readCommand(
  words: readonly string[],
  exec: Given,
  execFile: Given,
  complain: Complain,
): Template | undefined {
  const isFlag = ({ from, text }: Given): boolean => text !== '' && from.startsWith('--');
  const ways = [
    ...(words.length > 0 ? ['words' as const] : []),
    ...[exec, execFile].filter(({ text }) => text !== ''),
  ];
  // Flags and words win over the environment, which may be that of the image.
  const chosen = ways.filter((way) => way === 'words' || isFlag(way));
  const [way, other] = chosen.length > 0 ? chosen : ways;
  if (way === undefined) return undefined;
  if (other !== undefined)
    complain('--exec, --exec-file and a command after --: only one of them is allowed');
  const from = way === 'words' ? '--' : way.from;
  const read =
    way === 'words'
      ? checkTemplate(words)
      : way === exec
        ? splitTemplate(way.text)
        : readTemplateFile(way.text);
  if (read.ok) return read.template;
  complain(`${from}: the command ${read.problem}`);
  return [];
}

function readTemplateFile(path: string): ReadTemplate {
  try {
    return splitTemplate(readFileSync(path, 'utf8'));
  } catch (error) {
    return {
      ok: false,
      problem: `cannot be read: ${errorText(error)}`,
    };
  }
}
