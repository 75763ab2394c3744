// Names of HTTP's statuses, without importing node:http: for one of its exports Node would load its whole WebSocket
// client, which is 30 to 45 ms of every start.

export const statusName = (status: number): string =>
  process.getBuiltinModule('node:http').STATUS_CODES[status] ?? '';
