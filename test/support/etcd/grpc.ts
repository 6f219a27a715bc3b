// Calls of single gRPC methods of etcd over Node's HTTP/2; a client library would be far larger.
import { connect, type IncomingHttpHeaders, type SecureClientSessionOptions } from 'node:http2';

const silenceMilliseconds = 60_000;
const prefixBytes = 5;

/** Calls a method with an empty message and returns all messages of its response. */
export async function callGrpc(
  url: string,
  method: string,
  tls: SecureClientSessionOptions,
): Promise<readonly Buffer[]> {
  const session = connect(url, tls);
  const failure = new Promise<never>((_, reject) => session.once('error', reject));
  try {
    return await Promise.race([responseOf(session, method), failure]);
  } finally {
    session.destroy();
  }
}

async function responseOf(
  session: ReturnType<typeof connect>,
  method: string,
): Promise<readonly Buffer[]> {
  const stream = session.request({
    ':method': 'POST',
    ':path': method,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.setTimeout(silenceMilliseconds, () =>
    stream.destroy(new Error(`${method} was not answered in time`)),
  );
  let fields: IncomingHttpHeaders = {};
  // A refusal has its status in the headers, a response in the trailers.
  for (const event of ['response', 'trailers'] as const) {
    stream.on(event, (headers: IncomingHttpHeaders) => {
      fields = { ...fields, ...headers };
    });
  }
  stream.end(Buffer.alloc(prefixBytes));
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  const { 'grpc-status': status, 'grpc-message': message } = fields;
  if (status !== '0')
    throw new Error(`${method} ended with status ${status ?? fields[':status']}: ${message ?? ''}`);
  return messagesIn(Buffer.concat(parts));
}

/** Each message follows a byte for its compression, which is not offered, and its length. */
function messagesIn(body: Buffer): readonly Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + prefixBytes + body.readUInt32BE(at + 1);
    messages.push(body.subarray(at + prefixBytes, end));
    at = end;
  }
  return messages;
}

/** The bytes of a field of a protobuf message; empty when it is not there. */
export function bytesOf(message: Buffer, field: number): Buffer {
  let at = 0;
  const number = (): number => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const key = number();
    const type = key & 7;
    if (type !== 0 && type !== 2) throw new Error(`a field of wire type ${type} was not expected`);
    const size = number();
    if (type === 0) continue;
    if (key >> 3 === field) return message.subarray(at, at + size);
    at += size;
  }
  return Buffer.alloc(0);
}
