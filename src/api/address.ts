// How is an address with its port written, in a URL or a message?

/** An IPv6 address is put in brackets. */
export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
