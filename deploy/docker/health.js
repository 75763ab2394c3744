// The health check of a container, whose image has no curl: `node health.js live`, or `ready` for what waits until calls
// can be answered. It asks the service inside of the same container.

const [question] = process.argv.slice(2);
try {
  const address = `http://127.0.0.1:${process.env.PORT}/health/${question}`;
  const { status } = await fetch(address, { signal: AbortSignal.timeout(4_000) });
  if (status !== 200) throw new Error(`it answers ${status}`);
} catch (error) {
  console.error(`The service is not ${question}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
