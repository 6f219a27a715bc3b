// Which resources do the flags of `job run` request for each rank?
import { oneLine } from '../../api/text.ts';
import { ONE, parseQuantity } from '../../core/quantity.ts';
import { CommandError } from '../arguments/command.ts';

type WantedResources = {
  readonly cpu: string | undefined;
  readonly memory: string | undefined;
  /** NAME=QUANTITY, of any resource. */
  readonly request: readonly string[];
};

type Resources = {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
};

/** Of any other resource, Kubernetes demands a limit, equal to the request. */
const UNLIMITED: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Undefined: the flags request nothing. */
export function resourcesOf({ cpu, memory, request }: WantedResources): Resources | undefined {
  const requests = new Map<string, string>();
  if (cpu !== undefined) requests.set('cpu', quantityIn('--cpu', cpu, '2 or 500m'));
  if (memory !== undefined) requests.set('memory', quantityIn('--memory', memory, '4Gi or 512Mi'));
  for (const text of request) {
    const [name, quantity] = requestIn(text);
    if (requests.has(name)) throw new CommandError(twiceText(name, { cpu, memory }));
    requests.set(name, quantity);
  }
  if (requests.size === 0) return undefined;
  const limits = [...requests].filter(([name]) => !UNLIMITED.has(name));
  return {
    requests: Object.fromEntries(requests),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}

const twiceText = (name: string, flags: Pick<WantedResources, 'cpu' | 'memory'>): string =>
  (name === 'cpu' || name === 'memory') && flags[name] !== undefined
    ? `${name} is requested by --${name} and by --request; leave one of them out`
    : `--request ${name} is given twice; give it once`;

/** A name without a domain is one of Kubernetes' own, which refuses others when it makes a pod. */
const RESOURCE =
  /^(?:cpu|memory|ephemeral-storage|hugepages-[\w.]+|[a-z0-9][-.a-z0-9]{0,252}\/\w[-.\w]{0,62})$/;

function requestIn(text: string): readonly [name: string, quantity: string] {
  const at = text.indexOf('=');
  if (at < 1)
    throw refusal('--request', text, 'NAME=QUANTITY, such as nvidia.com/gpu=1 or cpu=500m');
  const name = text.slice(0, at);
  if (!RESOURCE.test(name))
    throw refusal(
      '--request',
      text,
      'cpu, memory, ephemeral-storage, hugepages-SIZE, or a name with its domain, such as nvidia.com/gpu=1',
    );
  const quantity = text.slice(at + 1);
  const flag = `--request ${name}`;
  if (UNLIMITED.has(name)) return [name, quantityIn(flag, quantity, '500m, 2 or 4Gi')];
  const amount = parseQuantity(quantity);
  if (amount !== undefined && amount >= 0n && amount % ONE === 0n) return [name, quantity];
  throw refusal(flag, quantity, 'a whole quantity of 0 or more, such as 1');
}

function quantityIn(flag: string, text: string, such: string): string {
  const amount = parseQuantity(text);
  if (amount !== undefined && amount >= 0n) return text;
  throw refusal(flag, text, `a quantity of 0 or more, such as ${such}`);
}

const refusal = (flag: string, text: string, allowed: string): CommandError =>
  new CommandError(`${flag} is ${JSON.stringify(oneLine(text))}; allowed is ${allowed}`);
