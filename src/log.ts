// The operator's log: one JSON object a line in a cluster, readable lines on a terminal; never a
// secret.
import winston from 'winston';
import type { Settings } from './settings.ts';

type Log = winston.Logger;

/** Fields of these names are hidden at any depth. */
const SECRET = /token|password|secret|authorization|credential|private|client-?key/i;

function hideSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      SECRET.test(key) ? '(hidden)' : hideSecrets(inner),
    ]),
  );
}

const hiding = winston.format((info) => Object.assign(info, hideSecrets({ ...info })));

export function makeLog({ logLevel, logFormat }: Pick<Settings, 'logLevel' | 'logFormat'>): Log {
  const { combine, timestamp, json, printf } = winston.format;
  const isText = logFormat === 'text' || (logFormat === 'auto' && process.stderr.isTTY);
  const line = printf(({ timestamp: time, level, message, ...facts }) => {
    const fields = Object.entries(facts).flatMap(([key, value]) =>
      value === undefined
        ? []
        : [`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`],
    );
    return [String(time).slice(11, 23), level.toUpperCase().padEnd(5), message, ...fields].join(
      ' ',
    );
  });
  return winston.createLogger({
    level: logLevel,
    format: combine(hiding(), timestamp(), isText ? line : json()),
    // stdout is for what a command prints.
    transports: [
      new winston.transports.Console({ stderrLevels: ['error', 'warn', 'info', 'debug'] }),
    ],
  });
}
