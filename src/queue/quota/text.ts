// How are amounts written? As users write them: `4 pods, 500m cpu and 2Gi memory`.
import { type Amounts, amountOf } from '../../core/amounts.ts';
import { parseQuantity, quantityText } from '../../core/quantity.ts';

const bytes = /(^|\.)(memory|ephemeral-storage|storage|hugepages-[^/]*)$/;

const textOf = (resource: string, amount: bigint): string =>
  quantityText(amount, bytes.test(resource));

/** Resources that are counted as objects, by the plural of their kind. */
const objects: ReadonlySet<string> = new Set(['pods', 'services', 'configmaps']);

export function amountText(resource: string, amount: bigint): string {
  const text = textOf(resource, amount);
  const isOne = text === '1' && objects.has(resource);
  return `${text} ${isOne ? resource.slice(0, -1) : resource}`;
}

export function amountsText(amounts: Amounts, resources: readonly string[]): string {
  const texts = resources.map((it) => amountText(it, amountOf(amounts, it)));
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter(Boolean).join(' and ');
}

/** Quantities as users write them, by resource. */
export const quantitiesOf = (amounts: Amounts): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...amounts].map(([resource, amount]) => [resource, textOf(resource, amount)]),
  );

/** Omits quantities that cannot be parsed: the API server has refused them. */
export const amountsIn = (quantities: Readonly<Record<string, number | string>>): Amounts =>
  new Map(
    Object.entries(quantities).flatMap(([resource, text]) => {
      const amount = parseQuantity(String(text));
      return amount === undefined ? [] : [[resource, amount]];
    }),
  );
