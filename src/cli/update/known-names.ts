// Names of publications and terms in settings of an update. One with a slip in it would count for nothing, without a word.

import { BadSetting, type Settings, settings } from '../../config.ts';
import type { Listed } from '../../ingest/publication.ts';
import { didYouMean } from '../nearest.ts';

/** What was typed; what is not there came from the environment. */
type Typed = { readonly address?: string | undefined; readonly 'accept-licences'?: string | undefined };

/** Throws BadSetting. */
export function refuseUnknownNames(
  publications: readonly Listed[],
  { updateAddresses, updateRhythm, acceptLicences }: Settings,
  typed: Typed,
): void {
  const names = publications.map(({ name }) => name);
  const datasets = publications.map(({ dataset }) => dataset);
  const terms = publications.flatMap((publication) => publication.terms?.name ?? []);
  const known = [
    {
      given: updateAddresses?.keys(),
      none: 'there is no publication',
      allowed: names,
      ...settings.updateAddresses,
      flag: 'address',
      by: typed.address,
    },
    {
      given: updateRhythm?.keys(),
      none: 'there is no publication',
      allowed: [...names, ...datasets],
      ...settings.updateRhythm,
      by: undefined,
    },
    {
      given: acceptLicences,
      none: 'there are no terms',
      allowed: [...terms, 'all'],
      ...settings.acceptLicences,
      by: typed['accept-licences'],
    },
  ];
  for (const { given = [], none, allowed, env, flag, by } of known) {
    const unknown = [...given].find((name) => !allowed.includes(name));
    if (unknown === undefined) continue;
    const source = by === undefined ? env : `--${flag}`;
    throw new BadSetting(
      `${source} names "${unknown}", and ${none} of that name.${didYouMean(unknown, allowed)} There are: ${[...new Set(allowed)].join(', ')}.`,
      by === undefined ? 'environment' : 'flag',
    );
  }
}
