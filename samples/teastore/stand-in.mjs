// A service that does nothing: it takes a while to start, answers requests, and counts them.
import { createServer } from 'node:http';

const { NAME = 'a service', STARTS_IN_MS = '0', PORT = '8080', HOST = '0.0.0.0' } = process.env;
let requests = 0;

const server = createServer((request, response) => {
  if (request.url === '/metrics') {
    response.end(`requests_total{service="${NAME}"} ${requests}\n`);
    return;
  }
  if (request.url !== '/health') requests += 1;
  response.end(`${NAME} has answered ${requests} requests\n`);
});

// The pod is not Ready until it listens.
setTimeout(() => server.listen(Number(PORT), HOST), Number(STARTS_IN_MS));
process.on('SIGTERM', () => process.exit(0));
