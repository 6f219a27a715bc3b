// How are amounts written? As users write them: `4 pods, 500m cpu and 2Gi memory`.
import { quantityText } from '../../core/quantity.ts';
import { type Amounts, amountOf } from '../../core/amounts.ts';

const bytes = /(^|\.)(memory|ephemeral-storage|storage|hugepages-[^/]*)$/;

export const amountText = (resource: string, amount: bigint): string =>
  `${quantityText(amount, bytes.test(resource))} ${resource}`;

export function amountsText(amounts: Amounts, resources: readonly string[]): string {
  const texts = resources.map((it) => amountText(it, amountOf(amounts, it)));
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter(Boolean).join(' and ');
}
