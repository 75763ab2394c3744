// The ground of the explorer's map over HTTP: what there is of it, and its tiles. The release is in the address of a tile, so that
// a browser keeps it for good.

import type { FastifyRequest } from 'fastify';
import { openBackdrop } from '../../backdrop/backdrop.ts';
import { parseTile } from '../../backdrop/tile-address.ts';
import { refuse } from '../../contract/refusal.ts';
import type { Release } from '../../release/reader.ts';
import { jsonType, type Reply, refusalReply } from '../envelope.ts';
import { jsonReply, type Operation, textReply } from '../operation.ts';
import { noReleaseYet } from '../refusals.ts';
import { pathOf } from '../wire/target.ts';

export type BackdropDesk = {
  readonly releases: {
    readonly live: () => Release | undefined;
    readonly sandbox: () => Release | Promise<Release>;
  };
  readonly settings: { readonly publicUrl: string | undefined };
};

const forGood = ['cache-control', 'public, max-age=31536000, immutable', 'vary', 'Accept-Encoding'];

export function backdropOperations(desk: BackdropDesk): readonly Operation[] {
  const grounds = (['live', 'sandbox'] as const).flatMap((which): readonly Operation[] => {
    const root = `/explore/backdrop/${which}`;
    const answer = async (request: FastifyRequest, reply: (release: Release) => Reply | Promise<Reply>) => {
      const release = await desk.releases[which]();
      return release === undefined
        ? refusalReply(noReleaseYet(), referenceOf(request, desk))
        : reply(release);
    };
    return [
      {
        path: root,
        reply: (request) =>
          answer(request, (release) => {
            const { facts } = openBackdrop(release);
            return jsonReply(request.id, { ...facts, tile: `${root}/${release.id}/{z}/{x}/{y}` });
          }),
      },
      {
        path: `${root}/*`,
        reply: (request) =>
          answer(request, async (release) => {
            const [id, z = '', x = '', y = '', ...rest] = pathOf(request)
              .slice(root.length + 1)
              .split('/');
            const address = parseTile(z, x, y);
            if (id !== release.id || address === undefined || rest.length > 0)
              return refusalReply(noSuchTile(root), referenceOf(request, desk));
            return textReply(request.id, jsonType, await openBackdrop(release).tile(address), forGood);
          }),
      },
    ];
  });
  // Else it would be the page of a place.
  const unknown: Operation = {
    path: '/explore/backdrop/*',
    reply: (request) => refusalReply(noSuchGround(), referenceOf(request, desk)),
  };
  return [...grounds, unknown];
}

const referenceOf = ({ id }: FastifyRequest, { settings: { publicUrl } }: BackdropDesk) => ({
  requestId: id,
  publicUrl,
});

const noSuchTile = (root: string) =>
  refuse(
    'NOT_FOUND',
    `There is no such tile, or another release is current; ask ${root} for the address of its tiles.`,
  );

const noSuchGround = () =>
  refuse(
    'NOT_FOUND',
    'There is no such ground: ask /explore/backdrop/live for the loaded data, or /explore/backdrop/sandbox for the fictional town.',
  );
