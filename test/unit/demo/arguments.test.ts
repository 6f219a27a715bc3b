import { describe, expect, it } from '@jest/globals';
import { parseDemo } from '../../../src/demo/arguments.ts';

const none = { once: false, kubeconfig: undefined, workerImage: undefined };

describe('the flags of the demo', () => {
  it.each([
    [[], none],
    [['--once'], { ...none, once: true }],
    [['--kubeconfig', 'f'], { ...none, kubeconfig: 'f' }],
    [
      ['--kubeconfig=f', '--worker-image=i', '--once'],
      { once: true, kubeconfig: 'f', workerImage: 'i' },
    ],
  ])('the demo reads the flags %j', (args, values) =>
    expect(parseDemo(args)).toEqual({ wants: 'run', values, operands: [] }),
  );

  it.each([[['--help']], [['-h', '--once']]])('the demo shows its help for %j', (args) =>
    expect(parseDemo(args)).toEqual({ wants: 'help' }),
  );

  it.each([
    [['--onec'], 'unknown flag --onec; did you mean --once?'],
    [['once'], 'unexpected argument "once"; expected only flags'],
    [['--kubeconfig'], '--kubeconfig: FILE is missing'],
    [['--kubeconfig='], '--kubeconfig is empty; expected FILE'],
    [['--kubeconfig', 'f', '--worker-image='], '--worker-image is empty; expected IMAGE'],
    [['--worker-image', 'i'], '--worker-image needs --kubeconfig'],
  ])('the demo refuses the flags %j: %s', (args, says) =>
    expect(parseDemo(args)).toEqual({
      wants: 'correction',
      problems: [expect.stringContaining(says)],
    }),
  );
});
