// What does the test's host provide for its nodes? A network of their own, and commands that run
// inside a node's network namespace.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** The control plane, the scheduler and the tests are here. */
export const hostAddress = '10.88.0.1';
export const podNetwork = '10.244.0.0/16';

export type NodeNetwork = {
  /** Of the node itself, where its kubelet answers. */
  readonly address: string;
  readonly podSubnet: string;
  /** A command inside this node's network namespace. */
  readonly inside: (command: readonly string[]) => readonly string[];
};

/**
 * Everything is in the network namespace of this process (scripts/e2e/enclosure.ts): no cleanup is
 * necessary.
 */
export async function createNetwork(): Promise<void> {
  await ip('link add nodes type bridge');
  await ip(`address add ${hostAddress}/24 dev nodes`);
  await ip('link set nodes up');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
}

/**
 * Nodes count from 1. Each pod gets an address of its node's subnet; routes lead there from
 * everywhere, without NAT.
 */
export async function connectNode(number: number): Promise<NodeNetwork> {
  const name = `node-${number}`;
  const address = `10.88.0.${10 + number}`;
  const podSubnet = `10.244.${number}.0/24`;
  const inside = (command: readonly string[]): readonly string[] => [
    'nsenter',
    `--net=/run/netns/${name}`,
    ...command,
  ];
  await ip(`netns add ${name}`);
  await ip(`link add to-${name} type veth peer name uplink netns ${name}`);
  await ip(`link set to-${name} master nodes up`);
  for (const own of [
    'link set lo up',
    `address add ${address}/24 dev uplink`,
    'link set uplink up',
    `route add default via ${hostAddress}`,
  ])
    await run(inside(['ip', ...own.split(' ')]));
  await run(inside(['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']));
  await ip(`route add ${podSubnet} via ${address}`);
  return { address, podSubnet, inside };
}

const ip = (command: string): Promise<string> => run(['ip', ...command.split(' ')]);

export async function run([command = '', ...args]: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
