import { describe, expect, it } from '@jest/globals';
import { parseDemo } from '../../../src/demo/arguments.ts';

const none = { isOnce: false, kubeconfig: undefined, workerImage: undefined };

describe('the flags of the demo', () => {
  it.each([
    [[], none],
    [['--once'], { ...none, isOnce: true }],
    [['--kubeconfig', 'f'], { ...none, kubeconfig: 'f' }],
    [
      ['--kubeconfig=f', '--worker-image=i', '--once'],
      { isOnce: true, kubeconfig: 'f', workerImage: 'i' },
    ],
  ])('%j', (args, options) => expect(parseDemo(args)).toEqual({ wants: 'run', options }));

  it.each([[['--help']], [['-h', '--once']]])('%j asks for help', (args) =>
    expect(parseDemo(args)).toEqual({ wants: 'help' }),
  );

  it.each([
    [['--onec'], "Unknown option '--onec'"],
    [['once'], "Unexpected argument 'once'"],
    [['--kubeconfig'], "Option '--kubeconfig <value>' argument missing"],
    [['--kubeconfig='], '--kubeconfig names no file'],
    [['--kubeconfig', 'f', '--worker-image='], '--worker-image names no image'],
    [['--worker-image', 'i'], '--worker-image goes with --kubeconfig'],
  ])('%j is refused: %s', (args, says) =>
    expect(parseDemo(args)).toEqual({
      wants: 'correction',
      problem: expect.stringContaining(says),
    }),
  );
});
