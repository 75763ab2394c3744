// The other side of the comparison: bare Fastify that sends the same body, with no key, limit, charge or log.

import Fastify from 'fastify';

const app = Fastify();
const body = process.argv[2] ?? '';
app.get('/api/v1/bank-rates', (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
});
process.stdout.write(`listens on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
