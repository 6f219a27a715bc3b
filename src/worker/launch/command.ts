// Which command runs for a stream? The template is split into words once, as a shell would split
// it, and the words are filled in afterwards.
import { oneLine } from '../../api/text.ts';
import type { Job } from '../decide/stream.ts';
import { hasStreamText, refusalOf, variableOf } from './code-injection.ts';

/** Words with placeholders. A stream's name fills its word and never becomes a second argument. */
export type Template = readonly string[];

export type ReadTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly problem: string };

type ProcessCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** A text that no message may show, in whole or in part. */
  readonly secret?: string;
};
export type ReadCommand =
  | { readonly ok: true; readonly command: ProcessCommand }
  | { readonly ok: false; readonly problem: string };

const placeholder = /\{(stream|worker|weight|param\.[^{}]+)\}/g;

// Spaces, 'literal', "quoted", \escaped, bare text; or a character that a shell refuses, too.
const token = /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(.)/gs;

/**
 * Refuses characters that a shell would act on, since no shell runs here. `literal`: as in
 * `refusalOf`.
 */
export function splitTemplate(text: string, literal: readonly string[] = []): ReadTemplate {
  const words: string[] = [];
  let word: string | undefined;
  for (const [, blank, literal, double, escaped, bare, broken] of text.matchAll(token)) {
    if (broken !== undefined)
      return no(
        broken === '\\' ? 'ends in a backslash' : `has a quote ${broken} that is not closed`,
      );
    const shellOnly = shellOnlyPart(double, bare);
    if (shellOnly !== undefined)
      return no(
        `has ${shellOnly}, which needs a shell, but the worker uses none: put it between '…', or run a shell in the command`,
      );
    if (blank === undefined) {
      word =
        (word ?? '') + (literal ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? bare ?? '');
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return checkTemplate(word === undefined ? words : [...words, word], literal);
}

function shellOnlyPart(double: string | undefined, bare: string | undefined): string | undefined {
  const expansion = /`|\$[A-Za-z_{(]/.exec(double?.replace(/\\./gs, '') ?? bare ?? '');
  return (/[|&;<>]/.exec(bare ?? '') ?? expansion)?.[0];
}

export function checkTemplate(words: Template, literal: readonly string[] = []): ReadTemplate {
  const [file] = words;
  if (file === undefined || file === '') return no('has no program');
  if (hasStreamText(file)) return no('lets the stream choose the program');
  const refusal = refusalOf(words, literal);
  return refusal === undefined ? { ok: true, template: words } : no(refusal);
}

export function commandFor(
  template: Template,
  job: Job,
  worker: string,
  inherited: NodeJS.ProcessEnv,
): ReadCommand {
  const values = new Map([
    ['stream', job.stream],
    ['worker', worker],
    ['weight', String(job.weight)],
    ...Object.entries(job.parameters).map(([key, value]): [string, string] => [
      `param.${key}`,
      value,
    ]),
  ]);
  const missing = new Set<string>();
  const fill = (_: string, name: string): string => {
    const value = values.get(name);
    if (value === undefined) missing.add(name);
    return value ?? '';
  };
  // One pass over each word: a value that looks like a placeholder stays as it is.
  const [file = '', ...args] = template.map((word) => word.replace(placeholder, fill));
  if (missing.size > 0)
    return no(`the command needs {${[...missing].join('}, {')}}, but the stream does not have it`);
  return {
    ok: true,
    command: { file, args, env: { ...inherited, ...environmentOf(job, worker) } },
  };
}

function environmentOf(job: Job, worker: string): Record<string, string> {
  const parameters = Object.entries(job.parameters).map(([key, value]) => [
    variableOf(`param.${key}`),
    value,
  ]);
  return {
    ...Object.fromEntries(parameters),
    SWARM_STREAM: job.stream,
    SWARM_WORKER: worker,
    SWARM_WEIGHT: String(job.weight),
  };
}

const no = (problem: string): { readonly ok: false; readonly problem: string } => ({
  ok: false,
  problem: oneLine(problem),
});

const script = `
  const stream = JSON.stringify(process.env.SWARM_STREAM);
  process.on('SIGTERM', () => { console.log('stopped consuming ' + stream); process.exit(0); });
  console.log('consuming ' + stream);
  setInterval(() => console.log('still consuming ' + stream), 60_000);
`;

/** The default command: it only logs that it runs. */
export const demoCommand: readonly string[] = [process.execPath, '--eval', script];
