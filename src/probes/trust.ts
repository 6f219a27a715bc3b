// Whom does the operator trust when it probes workers over HTTPS, and how do they know it? What the
// administrator has set, read again when the files change.
import { readFileSync, statSync } from 'node:fs';
import { asString, dig } from '../api/objects.ts';
import { errorText, orUndefined, parseJson } from '../api/text.ts';
import type { Clock } from '../runtime/clock.ts';

export type TrustFiles = {
  /** Certificates of workers are verified by these authorities; left out: not at all. */
  readonly ca?: string | undefined;
  /** The name that certificates must have; left out: the worker's address. */
  readonly serverName?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly token?: string | undefined;
};

export type ProbeTrust = {
  readonly tls: {
    readonly rejectUnauthorized: boolean;
    readonly ca?: string;
    readonly servername?: string;
    readonly cert?: string;
    readonly key?: string;
  };
  readonly headers: Readonly<Record<string, string>>;
};

/** Anyone may answer, and learns nothing. */
export const noTrust: ProbeTrust = { tls: { rejectUnauthorized: false }, headers: {} };

/** Kubernetes rotates certificates and tokens in place. */
const READ_EVERY_MS = 10_000;
const OWN_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

type TrustOptions = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** A file cannot be read any more: the last contents stay in force. */
  readonly onTrouble: (message: string) => void;
  /** The operator's token for the API server. */
  readonly ownToken?: string;
};

/** Its message is for the administrator. */
export class TrustError extends Error {
  override readonly name = 'TrustError';
}

/** Throws a TrustError where the files cannot be used. */
export function trustFrom(
  files: TrustFiles,
  { clock, onTrouble, ownToken = OWN_TOKEN }: TrustOptions,
): () => ProbeTrust {
  refuseUnsafe(files);
  let trust = readTrust(files, ownToken);
  let stamps = stampsOf(files);
  let readAt = clock.monotonic();
  return () => {
    if (clock.monotonic() - readAt < READ_EVERY_MS) return trust;
    readAt = clock.monotonic();
    const now = stampsOf(files);
    if (now === stamps) return trust;
    try {
      trust = readTrust(files, ownToken);
      stamps = now;
    } catch (error) {
      onTrouble(errorText(error));
    }
    return trust;
  };
}

function refuseUnsafe({ ca, serverName, clientCert, clientKey, token }: TrustFiles): void {
  if ((clientCert === undefined) !== (clientKey === undefined))
    throw new TrustError('--probe-client-cert-file and --probe-client-key-file need each other');
  if (serverName !== undefined && ca === undefined)
    throw new TrustError(
      '--probe-server-name needs --probe-ca-file: without it, the operator verifies no certificate',
    );
  if (token !== undefined && ca === undefined)
    throw new TrustError(
      '--probe-token-file needs --probe-ca-file: without verification, any server could get the token',
    );
}

function readTrust(
  { ca, serverName, clientCert, clientKey, token }: TrustFiles,
  ownToken: string,
): ProbeTrust {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new TrustError(`cannot read ${file}: ${errorText(error)}`);
    }
  };
  return {
    tls: {
      rejectUnauthorized: ca !== undefined,
      ...(ca !== undefined && { ca: read(ca) }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(clientCert !== undefined && { cert: read(clientCert) }),
      ...(clientKey !== undefined && { key: read(clientKey) }),
    },
    headers:
      token === undefined
        ? {}
        : { authorization: `Bearer ${tokenIn(token, read(token), ownToken)}` },
  };
}

/** Each worker gets to see it, and workers are tenants: it must be worthless elsewhere. */
function tokenIn(file: string, text: string, ownFile: string): string {
  const token = text.trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TrustError(`${file} contains no token; expected one line without spaces`);
  const own = orUndefined(() => readFileSync(ownFile, 'utf8').trim()) ?? '';
  const audiences = audiencesOf(own);
  if (token === own || audiencesOf(token).some((audience) => audiences.includes(audience)))
    throw new TrustError(
      `${file} is a token for the API server, which must not be sent to workers; mount a projected serviceAccountToken with a separate audience`,
    );
  return token;
}

function audiencesOf(token: string): readonly string[] {
  const [, payload = ''] = token.split('.');
  const found = dig(parseJson(Buffer.from(payload, 'base64url').toString()), 'aud');
  return [found].flat().flatMap((audience) => asString(audience) ?? []);
}

/** Changes whenever one of the files does; a file that is gone counts as changed. */
const stampsOf = ({ ca, clientCert, clientKey, token }: TrustFiles): string =>
  [ca, clientCert, clientKey, token]
    .map((file) => {
      if (file === undefined) return '';
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? 'gone' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    })
    .join(';');
