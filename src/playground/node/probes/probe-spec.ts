// What does a probe, or a hook, ask for?
import { asList, asNumber, asRecord, asString, dig } from '../../../api/objects.ts';

export type ProbeAction =
  | {
      readonly type: 'http';
      readonly scheme: 'HTTP' | 'HTTPS';
      readonly host: string | undefined;
      readonly port: number | string;
      readonly path: string;
      readonly headers: readonly (readonly [string, string])[];
    }
  | { readonly type: 'tcp'; readonly host: string | undefined; readonly port: number | string }
  | { readonly type: 'exec'; readonly command: readonly string[] }
  | { readonly type: 'sleep'; readonly seconds: number }
  | { readonly type: 'unsupported'; readonly field: string };

export type Probe = {
  readonly action: ProbeAction;
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  readonly graceSeconds: number | undefined;
};

export function readProbe(value: unknown): Probe | undefined {
  const action = readAction(value);
  if (action === undefined) return undefined;
  // Zero reads as not set, as in the API.
  const seconds = (field: string, otherwise: number): number =>
    asNumber(dig(value, field)) || otherwise;
  return {
    action,
    initialDelaySeconds: seconds('initialDelaySeconds', 0),
    periodSeconds: seconds('periodSeconds', 10),
    timeoutSeconds: seconds('timeoutSeconds', 1),
    successThreshold: seconds('successThreshold', 1),
    failureThreshold: seconds('failureThreshold', 3),
    graceSeconds: asNumber(dig(value, 'terminationGracePeriodSeconds')),
  };
}

export function readAction(value: unknown): ProbeAction | undefined {
  const given = asRecord(value);
  if (given === undefined) return undefined;
  const http = asRecord(given['httpGet']);
  if (http !== undefined) {
    return {
      type: 'http',
      scheme: http['scheme'] === 'HTTPS' ? 'HTTPS' : 'HTTP',
      host: asString(http['host']),
      port: readPort(http['port']),
      path: asString(http['path']) ?? '/',
      headers: asList(http['httpHeaders']).map((header) => [
        asString(dig(header, 'name')) ?? '',
        asString(dig(header, 'value')) ?? '',
      ]),
    };
  }
  const tcp = asRecord(given['tcpSocket']);
  if (tcp !== undefined)
    return { type: 'tcp', host: asString(tcp['host']), port: readPort(tcp['port']) };
  const exec = asRecord(given['exec']);
  if (exec !== undefined) return { type: 'exec', command: asList(exec['command']).map(String) };
  const sleep = asRecord(given['sleep']);
  if (sleep !== undefined) return { type: 'sleep', seconds: asNumber(sleep['seconds']) ?? 0 };
  return {
    type: 'unsupported',
    field: 'grpc' in given ? 'grpc' : (Object.keys(given)[0] ?? 'nothing'),
  };
}

const readPort = (value: unknown): number | string =>
  typeof value === 'number' ? value : String(value);
