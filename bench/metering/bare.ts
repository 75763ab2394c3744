// The other side of the comparison: bare Fastify that sends the same body, with no key, limit, charge or log. As an
// application writes it, which returns an object ("object"); or with nothing left to write but a finished text ("text").

import Fastify from 'fastify';

const [form, body = ''] = process.argv.slice(2);
const answer: unknown = JSON.parse(body);
const app = Fastify();
app.get('/api/v1/bank-rates', (_request, reply) => {
  if (form === 'object') reply.send(answer);
  else reply.header('content-type', 'application/json; charset=utf-8').send(body);
});
process.stdout.write(`listens on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
