// The door to the pages' interface: everything below /portal. What answers there is loaded by the first who asks, so that a
// service without visitors starts and serves as if it had none.

import type { FastifyRequest } from 'fastify';
import type { Reply } from './envelope.ts';
import type { StreamedReply } from './wire/stream.ts';
import { pathOf } from './wire/target.ts';

export type Portal = {
  readonly answer: (request: FastifyRequest) => Promise<Reply | StreamedReply>;
  /** Ends what would go on for as long as somebody watches. */
  readonly endStreams: () => void;
  /** After the last answer. */
  readonly close: () => Promise<void>;
};

const portalPath = '/portal/';

export const isOfPortal = (request: FastifyRequest): boolean => pathOf(request).startsWith(portalPath);

export class PortalDoor {
  readonly path = `${portalPath}*`;
  readonly methods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const;
  readonly #open: () => Promise<Portal>;
  #portal: Promise<Portal> | undefined;

  constructor(open: () => Promise<Portal>) {
    this.#open = open;
  }

  async answer(request: FastifyRequest): Promise<Reply | StreamedReply> {
    if (this.#portal === undefined) {
      const opening = this.#open();
      this.#portal = opening;
      // What failed once may work the next time.
      opening.catch(() => {
        this.#portal = undefined;
      });
    }
    return (await this.#portal).answer(request);
  }

  async endStreams(): Promise<void> {
    (await this.#opened())?.endStreams();
  }

  async close(): Promise<void> {
    await (await this.#opened())?.close();
  }

  /** Whoever asked was told why it did not open. */
  #opened(): Promise<Portal | undefined> | undefined {
    return this.#portal?.catch(() => undefined);
  }
}
