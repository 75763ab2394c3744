// Callers who close their side once they have sent everything, as `nc -N` does, and then read. By default Node ends such a
// connection before the replies are written, though the calls are charged.

import type { Server } from 'node:http';

/** Node's own switch, which its types do not list: the connection then ends after the last reply. */
const untilAnswered = { httpAllowHalfOpen: true } as const;

export const answerHalfClosed = (server: Server): Server => Object.assign(server, untilAnswered);
