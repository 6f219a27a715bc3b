// What does a command of swarmctl look like from outside, and what did somebody want of it?
import { parseArgs } from 'node:util';
import { errorText } from '../../api/error-text.ts';

type FlagBase = { readonly help: string; readonly short?: string };
export type Flag =
  | (FlagBase & { readonly type: 'switch' })
  /** `value` is how help names what follows. */
  | (FlagBase & { readonly type: 'text'; readonly value: string })
  /** May be given several times. */
  | (FlagBase & { readonly type: 'texts'; readonly value: string })
  /** A whole number, when it is given. */
  | (FlagBase & {
      readonly type: 'whole';
      readonly value: string;
      readonly least: number;
      readonly most: number;
    })
  | (FlagBase & {
      readonly type: 'number';
      readonly value: string;
      readonly fallback: number;
      readonly least: number;
      readonly most: number;
    })
  | (FlagBase & { readonly type: 'choice'; readonly among: readonly [string, ...string[]] });

export type Flags = Readonly<Record<string, Flag>>;

export type Values<All extends Flags> = {
  readonly [Name in keyof All]: All[Name] extends { readonly type: 'switch' }
    ? boolean
    : All[Name] extends { readonly type: 'number' }
      ? number
      : All[Name] extends { readonly type: 'whole' }
        ? number | undefined
        : All[Name] extends { readonly type: 'texts' }
          ? readonly string[]
          : All[Name] extends { readonly type: 'choice' }
            ? All[Name]['among'][number]
            : string | undefined;
};

export type Shape<All extends Flags> = {
  readonly name: string;
  /** One line, for the list of all commands. */
  readonly summary: string;
  /** What may stand beside flags, as help shows it: `URL|POD`. */
  readonly operands: { readonly usage: string; readonly least: number; readonly most: number };
  readonly flags: All;
  /** What it does, and what its exit codes mean. */
  readonly about: string;
  readonly examples: readonly (readonly [command: string, does: string])[];
};

export type ParsedCommand<All extends Flags> =
  | { readonly wants: 'run'; readonly values: Values<All>; readonly operands: readonly string[] }
  | { readonly wants: 'help' }
  | { readonly wants: 'correction'; readonly problem: string };

/** Exit codes that scripts can rely on: all is well, it is not, it cannot be told. */
export const exitCodes = { ok: 0, no: 1, usage: 2 } as const;

export function parseCommand<All extends Flags>(
  shape: Shape<All>,
  args: readonly string[],
): ParsedCommand<All> {
  const options = Object.fromEntries(
    Object.entries(shape.flags).map(([name, flag]) => [
      name,
      {
        type: flag.type === 'switch' ? ('boolean' as const) : ('string' as const),
        multiple: flag.type === 'texts',
        ...(flag.short !== undefined && { short: flag.short }),
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    const given = new Map(Object.entries(values));
    if (given.get('help') === true) return { wants: 'help' };
    const { least, most, usage } = shape.operands;
    if (positionals.length < least) return correct(`${usage} is missing`);
    if (positionals.length > most)
      return correct(
        `${JSON.stringify(positionals[most])} is one too many: ${usage || 'only flags'} is expected`,
      );
    const problems: string[] = [];
    const read = Object.entries(shape.flags).map(([name, flag]) => [
      name,
      readValue(name, flag, given.get(name), problems),
    ]);
    // The one place where names and kinds of flags become types: what was read for each is what its
    // flag says.
    return problems.length > 0
      ? correct(problems.join('\n'))
      : { wants: 'run', values: Object.fromEntries(read) as Values<All>, operands: positionals };
  } catch (error) {
    return correct(errorText(error));
  }
}

function readValue(
  name: string,
  flag: Flag,
  given: string | boolean | readonly (string | boolean)[] | undefined,
  problems: string[],
): string | number | boolean | readonly string[] | undefined {
  switch (flag.type) {
    case 'switch':
      return given === true;
    case 'text':
      if (given === '') problems.push(`--${name}: names nothing; ${flag.value} is expected`);
      return typeof given === 'string' ? given : undefined;
    case 'texts': {
      const texts = [given ?? []].flat().map(String);
      if (texts.includes('')) problems.push(`--${name}: names nothing; ${flag.value} is expected`);
      return texts;
    }
    case 'whole': {
      if (given === undefined) return undefined;
      const whole = /^\d{1,9}$/.test(String(given)) ? Number(given) : Number.NaN;
      if (whole >= flag.least && whole <= flag.most) return whole;
      problems.push(
        `--${name}: ${JSON.stringify(given)} is not allowed; allowed is a whole number, ${flag.least} to ${flag.most}`,
      );
      return undefined;
    }
    case 'choice': {
      if (given === undefined) return flag.among[0];
      const chosen = flag.among.find((choice) => choice === given);
      if (chosen === undefined)
        problems.push(
          `--${name}: ${JSON.stringify(given)} is not allowed; allowed is ${flag.among.join(', ')}`,
        );
      return chosen;
    }
    case 'number': {
      if (given === undefined) return flag.fallback;
      const number = /^\d{1,9}(\.\d{1,3})?$/.test(String(given)) ? Number(given) : Number.NaN;
      if (number >= flag.least && number <= flag.most) return number;
      problems.push(
        `--${name}: ${JSON.stringify(given)} is not allowed; allowed is ${flag.least} to ${flag.most}`,
      );
      return flag.fallback;
    }
    default:
      return flag satisfies never;
  }
}

const correct = (problem: string): { readonly wants: 'correction'; readonly problem: string } => ({
  wants: 'correction',
  problem,
});
