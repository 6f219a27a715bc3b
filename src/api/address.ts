// How is an address with its port written, in a URL or a message?

/** Puts an IPv6 address in brackets. */
export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
