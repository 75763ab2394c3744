// Postcodes that cannot be answered for: one that was withdrawn, one that never was, and one that this service lacks. Each
// caller is told the likely cause, since a typing slip is only one of them.

import type { Context } from '../../contract/endpoint.ts';
import { samplePostcodes } from '../../contract/examples.ts';
import { type Refusal, refuse } from '../../contract/refusal.ts';
import { nearestInUse } from '../../tables/postcodes/near.ts';
import { openPostcodes, type PostcodeRow } from '../../tables/postcodes/postcodes.ts';
import type { Postcode } from '../../uk/postcode.ts';
import { isPostcodeArea, nationInWords, nationOfArea, sandboxArea } from '../../uk/postcode-areas.ts';

type Release = Context['release'];

export function findInUse(release: Release, postcode: Postcode): PostcodeRow | Refusal<'POSTCODE_NOT_FOUND'> {
  const row = openPostcodes(release).find(postcode);
  return row === undefined || row.terminated !== null ? refusePostcode(release, postcode, row) : row;
}

/** For a postcode without a row, or with one that says when it was withdrawn. */
export function refusePostcode(release: Release, postcode: Postcode, row: PostcodeRow | undefined) {
  return row?.terminated
    ? refuseWithdrawn(release, row, row.terminated)
    : refuse('POSTCODE_NOT_FOUND', whyUnknown(release, postcode));
}

function refuseWithdrawn(release: Release, { point }: PostcodeRow, terminated: string) {
  // Among a sample the nearest is nothing like the nearest there is.
  const isSample = release.findDataset('postcodes')?.extent === 'sample';
  const nearest = (isSample ? [] : nearestInUse(release, point)).map(({ postcode, metres }) => ({
    postcode: postcode.postcode,
    distanceMetres: Math.round(metres),
  }));
  const [first] = nearest;
  const withdrawn = `Royal Mail withdrew this postcode in ${terminated}`;
  return first === undefined
    ? refuse('POSTCODE_NOT_FOUND', `${withdrawn}; send the postcode that is used there now.`, { terminated })
    : refuse(
        'POSTCODE_NOT_FOUND',
        `${withdrawn}; the nearest postcode in use is ${first.postcode}, ${first.distanceMetres} metres away.`,
        { terminated, nearest },
      );
}

function whyUnknown(release: Release, { area, text }: Postcode): string {
  const directory = release.findDataset('postcodes');
  if (release.manifest.kind === 'sandbox') {
    return area === sandboxArea
      ? `${text} is none of the fictional postcodes that a test key knows; check it for a typing slip, or send one from the list at /docs#sandbox, such as ZZ1 1AA.`
      : `A test key knows only the fictional postcodes in ${sandboxArea}, such as ZZ1 1AA; send one of them, or use a live key.`;
  }
  if (area === sandboxArea) {
    return `Postcodes in ${sandboxArea} are fictional, and only test keys get answers for them; send a real postcode${directory?.extent === 'sample' ? `, such as ${samplePostcodes}` : ''}, or use a test key.`;
  }
  if (!isPostcodeArea(area))
    return `No place has a postcode that begins with ${area}; check it for a typing slip.`;
  const nation = nationOfArea(area);
  if (nation === 'Channel Islands' || nation === 'Isle of Man') {
    return `${text} lies in ${nationInWords(nation)}, and this service has data for the United Kingdom only; ask for a place there.`;
  }
  if (directory?.extent === 'sample') {
    return `This service holds a sample of postcodes, and ${text} is not in it; try ${samplePostcodes}.`;
  }
  if (!openPostcodes(release).areas().includes(area)) {
    return `This service holds no postcodes of ${nation ?? area}; ask for a place elsewhere.`;
  }
  return `${text} is not in the postcode directory of ${directory?.asOf}; check it for a typing slip.`;
}
