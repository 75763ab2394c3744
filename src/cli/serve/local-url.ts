// Where a browser on the machine of the service finds it.

export function localUrl(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  if (isEverywhere) return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
