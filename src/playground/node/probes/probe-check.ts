// What does one probe, or one hook, answer now?
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { errorText } from '../../../api/error-text.ts';
import type { Port } from '../pods/pod-spec.ts';
import type { ProbeAction } from './probe-spec.ts';

export type CheckResult = { readonly isSuccess: boolean; readonly message: string };

export type CheckTarget = {
  readonly podIP: string;
  readonly ports: readonly Port[];
  /** Runs a command among the container's mounts; answers with exit code and output. */
  readonly exec: (
    command: readonly string[],
    timeoutMs: number,
  ) => Promise<{ exitCode: number; output: string }>;
};

const success: CheckResult = { isSuccess: true, message: '' };
const failure = (message: string): CheckResult => ({ isSuccess: false, message });

export async function check(
  action: ProbeAction,
  target: CheckTarget,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<CheckResult> {
  switch (action.type) {
    case 'http':
      return checkHttp(action, target, timeoutMs, signal);
    case 'tcp': {
      const port = portOf(action.port, target.ports);
      return port === undefined
        ? noPort(action.port)
        : checkTcp(action.host ?? target.podIP, port, timeoutMs, signal);
    }
    case 'exec': {
      const { exitCode, output } = await target.exec(action.command, timeoutMs);
      return exitCode === 0 ? success : failure(output.trim() || `exit code ${exitCode}`);
    }
    case 'sleep':
      await new Promise((resolve) =>
        setTimeout(resolve, Math.min(action.seconds * 1000, timeoutMs)).unref(),
      );
      return success;
    case 'unsupported':
      // Said in an event when the pod was admitted (support.ts); a probe that cannot be asked must
      // not end anything.
      return success;
    default:
      return action satisfies never;
  }
}

export function portOf(port: number | string, ports: readonly Port[]): number | undefined {
  if (typeof port === 'number') return port;
  return (
    ports.find(({ name }) => name === port)?.port ?? (/^\d+$/.test(port) ? Number(port) : undefined)
  );
}

const noPort = (port: number | string): CheckResult =>
  failure(`the container declares no port named "${port}"`);

/** Any answer from 200 to 399 counts; redirects are not followed. */
function checkHttp(
  action: Extract<ProbeAction, { type: 'http' }>,
  target: CheckTarget,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const port = portOf(action.port, target.ports);
  if (port === undefined) return Promise.resolve(noPort(action.port));
  const host = action.host ?? target.podIP;
  const url = new URL(
    action.path.startsWith('/') ? action.path : `/${action.path}`,
    `${action.scheme.toLowerCase()}://${host}:${port}`,
  );
  // Names are compared without case, and a header of the pod replaces one of these.
  const headers = {
    'user-agent': 'kube-probe/1.36',
    accept: '*/*',
    ...Object.fromEntries(action.headers.map(([k, v]) => [k.toLowerCase(), v])),
  };
  return new Promise((resolve) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const options = {
      headers,
      agent: false as const,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    };
    const request =
      action.scheme === 'HTTPS'
        ? httpsRequest(url, { ...options, rejectUnauthorized: false })
        : httpRequest(url, options);
    request.once('response', (response) => {
      response.resume();
      response.once('error', () => undefined);
      const code = response.statusCode ?? 0;
      resolve(
        code >= 200 && code < 400 ? success : failure(`HTTP probe failed with statuscode: ${code}`),
      );
    });
    request.once('error', (error) => {
      resolve(
        failure(
          limit.aborted
            ? `Get "${url}": no answer within ${timeoutMs} ms`
            : `Get "${url}": ${errorText(error)}`,
        ),
      );
    });
    request.end();
  });
}

function checkTcp(
  host: string,
  port: number,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<CheckResult> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (answer: CheckResult): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(success));
    socket.once('timeout', () =>
      end(failure(`dial tcp ${host}:${port}: no answer within ${timeoutMs} ms`)),
    );
    socket.once('error', (error) => end(failure(`dial tcp ${host}:${port}: ${errorText(error)}`)));
    signal?.addEventListener('abort', () => end(failure('aborted')), { once: true });
  });
}
