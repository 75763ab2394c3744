// Lets go of connections that fall idle while the server stops: one whose last request was still running when the stop began goes
// idle only afterwards, and would hold the stop up until its client closes it.

import type { FastifyInstance } from 'fastify';

const sweepMs = 20;

export function closeIdleWhileStopping(app: FastifyInstance): void {
  let sweep: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    sweep = setInterval(() => app.server.closeIdleConnections(), sweepMs);
  });
  app.addHook('onClose', async () => clearInterval(sweep));
}
