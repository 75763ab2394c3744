// Metrics on a port of their own, which listens on loopback alone: no proxy stands before it, so it asks for no token.

import { once } from 'node:events';
import { metricsContentType } from '../metrics/exposition.ts';

export const metricsHost = '127.0.0.1';

export type MetricsPort = { readonly port: number; readonly close: () => Promise<void> };

export async function openMetricsPort(port: number, render: () => Promise<string>): Promise<MetricsPort> {
  // Not imported: see wire/status-names.ts.
  const server = process.getBuiltinModule('node:http').createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    render().then(
      (text) => response.writeHead(200, { 'content-type': metricsContentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await once(server.listen(port, metricsHost), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
