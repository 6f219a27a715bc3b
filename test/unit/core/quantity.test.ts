// Are quantities read as Kubernetes reads them, and exactly?
import { describe, expect, it } from '@jest/globals';
import { parseQuantity, quantityText, toNumber } from '../../../src/core/quantity.ts';

describe('a quantity', () => {
  it.each([
    ['0', 0n],
    ['1', 10n ** 9n],
    ['+1', 10n ** 9n],
    ['-1', -(10n ** 9n)],
    ['250m', 250n * 10n ** 6n],
    ['0.1', 10n ** 8n],
    ['.5', 5n * 10n ** 8n],
    ['5.', 5n * 10n ** 9n],
    ['100u', 10n ** 5n],
    ['3n', 3n],
    ['0.5n', 1n],
    ['1k', 10n ** 12n],
    ['1E', 10n ** 27n],
    ['1e3', 10n ** 12n],
    ['1E3', 10n ** 12n],
    ['15e-1', 15n * 10n ** 8n],
    ['1Ki', 1024n * 10n ** 9n],
    ['1.5Gi', 1536n * 1024n * 1024n * 10n ** 9n],
    ['9007199254740993', 9007199254740993n * 10n ** 9n],
    ['1e999', (2n ** 63n - 1n) * 10n ** 9n],
  ])('the quantity %s is %i billionths', (text, billionths) => {
    expect(parseQuantity(text)).toBe(billionths);
  });

  it.each(['', '.', 'm', '1x', '1 Gi', '1ki', '1e', '1e1.5', '--1', '1e1000', '0x10', 'NaN'])(
    '%j is not a quantity',
    (text) => expect(parseQuantity(text)).toBeUndefined(),
  );

  it.each([
    ['0', false, '0'],
    ['1000m', false, '1'],
    ['1.5', false, '1500m'],
    ['0.1u', false, '100n'],
    ['1024', false, '1024'],
    ['2048', true, '2Ki'],
    ['1.5Gi', true, '1536Mi'],
    ['1000', true, '1000'],
    ['0', true, '0'],
  ])(
    'the quantity %s (bytes: %s) is written as %s, which is read as the same',
    (text, isBytes, written) => {
      const amount = parseQuantity(text) ?? 0n;
      expect(quantityText(amount, isBytes)).toBe(written);
      expect(parseQuantity(written)).toBe(amount);
    },
  );

  it('quantities add up exactly', () => {
    const sum = Array.from({ length: 10 }, () => parseQuantity('100m') ?? 0n).reduce(
      (a, b) => a + b,
    );
    expect(sum).toBe(parseQuantity('1'));
    expect(toNumber(sum)).toBe(1);
  });
});
