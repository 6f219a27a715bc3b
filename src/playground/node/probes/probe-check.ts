// One attempt of a probe or a lifecycle hook.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { V1ContainerPort, V1HTTPGetAction, V1LifecycleHandler } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { hostAndPort } from '../../../api/address.ts';
import { errorText } from '../../../api/text.ts';

export type CheckResult = { readonly isSuccess: boolean; readonly message: string };

export type CheckTarget = {
  readonly podIP: string;
  readonly ports: readonly V1ContainerPort[];
  readonly exec: (
    command: readonly string[],
    timeoutMs: number,
  ) => Promise<{ exitCode: number; output: string }>;
};

/** As a kubelet, a probe does not verify certificates. */
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

const success: CheckResult = { isSuccess: true, message: '' };
const failure = (message: string): CheckResult => ({ isSuccess: false, message });

export async function check(
  { httpGet, tcpSocket, exec, sleep }: V1LifecycleHandler,
  target: CheckTarget,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<CheckResult> {
  if (exec !== undefined) {
    const { exitCode, output } = await target.exec(exec.command ?? [], timeoutMs);
    return exitCode === 0 ? success : failure(output.trim() || `exit code ${exitCode}`);
  }
  if (sleep !== undefined) {
    await delay(Math.min(sleep.seconds * 1000, timeoutMs), undefined, { ref: false });
    return success;
  }
  const action = httpGet ?? tcpSocket;
  // An unsupported probe must not end the container; an event said so at admission (support.ts).
  if (action === undefined) return success;
  const port = portOf(action.port, target.ports);
  if (port === undefined) return failure(`the container declares no port named "${action.port}"`);
  const host = action.host || target.podIP;
  const address = hostAndPort(host, port);
  const url = httpGet && urlOf(httpGet, address);
  const limit = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  try {
    return url === undefined
      ? await checkTcp(host, port, either)
      : await checkHttp(url, httpGet?.httpHeaders ?? [], either);
  } catch (error) {
    const what = url === undefined ? `dial tcp ${address}` : `Get "${url}"`;
    const why = limit.aborted ? `no answer within ${timeoutMs} ms` : errorText(error);
    return failure(`${what}: ${why}`);
  }
}

export function portOf(
  port: number | string,
  ports: readonly V1ContainerPort[],
): number | undefined {
  if (typeof port === 'number') return port;
  const named = ports.find(({ name }) => name === port);
  return named?.containerPort ?? (/^\d+$/.test(port) ? Number(port) : undefined);
}

const urlOf = ({ scheme = 'HTTP', path = '/' }: V1HTTPGetAction, address: string): URL =>
  new URL(path.replace(/^(?!\/)/, '/'), `${scheme.toLowerCase()}://${address}`);

/** Success is a status from 200 to 399; redirects are not followed. */
async function checkHttp(
  url: URL,
  httpHeaders: NonNullable<V1HTTPGetAction['httpHeaders']>,
  signal: AbortSignal,
): Promise<CheckResult> {
  // Header names have no case, and a header of the pod replaces a default one.
  const given = httpHeaders.map(({ name, value }) => [name.toLowerCase(), value]);
  const headers = { 'user-agent': 'kube-probe/1.36', accept: '*/*', ...Object.fromEntries(given) };
  const { statusCode, body } = await request(url, { dispatcher, reset: true, headers, signal });
  void body.dump().catch(() => undefined);
  return statusCode < 400 ? success : failure(`HTTP probe failed with statuscode: ${statusCode}`);
}

async function checkTcp(host: string, port: number, signal: AbortSignal): Promise<CheckResult> {
  const socket = connect({ host, port, signal });
  try {
    await once(socket, 'connect');
    return success;
  } finally {
    socket.destroy();
  }
}
