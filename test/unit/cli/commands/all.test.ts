import { describe, expect, it } from '@jest/globals';
import { commandNames, loadCommand } from '../../../../src/cli/commands/all.ts';

describe('the commands', () => {
  it.each(commandNames)('swarmctl %s loads the command of this name', async (name) =>
    expect((await loadCommand(name))?.shape.name).toBe(name),
  );

  it.each(['statu', 'group', 'constructor'])('swarmctl %s is no command', async (name) =>
    expect(await loadCommand(name)).toBeUndefined(),
  );
});
