// swarmctl version: which one is this?
import { readFileSync } from 'node:fs';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import { asString, dig } from '../../api/objects.ts';
import { type Command, command, exitCodes } from '../arguments/command.ts';
import { output } from '../arguments/shared.ts';
import { tell } from '../views/output.ts';

export const version: Command = command(
  {
    name: 'version',
    summary: 'the version of this program',
    operands: { usage: '', least: 0, most: 0 },
    about: 'The version of this program, of the Node that runs it, and of the API that it speaks.',
    examples: [['swarmctl version -o json', 'for programs']],
    flags: { output },
  },
  async ({ values }, terminal) => {
    const manifest: unknown = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    );
    const value = {
      swarmctl: asString(dig(manifest, 'version')) ?? 'unknown',
      node: process.version,
      api: apiVersionOf(kinds.SwarmPool),
    };
    tell(terminal, values.output, value, () => [
      `swarmctl ${value.swarmctl} (Node ${value.node}, ${value.api})`,
    ]);
    return exitCodes.ok;
  },
);
