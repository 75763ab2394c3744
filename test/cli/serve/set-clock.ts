// Brought in with `node --import`, before everything else: the clock of a service is what a file says, and stands still until
// the test writes another instant into it. That of an update begins there and runs, because it waits by it.

import { readFileSync } from 'node:fs';

const file = process.env.DOMESDAY_TEST_CLOCK ?? '';
const read = () => Number(readFileSync(file, 'utf8'));
const beganMs = read();
Date.now = process.argv.includes('update') ? () => beganMs + Math.floor(performance.now()) : read;
