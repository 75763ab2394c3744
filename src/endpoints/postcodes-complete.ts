// GET /postcodes/complete: what a half typed text can mean, for a field that suggests while somebody types.

import { type Context, endpoint } from '../contract/endpoint.ts';
import { text, wholeNumber } from '../contract/params.ts';
import { list, nullable, number, object, oneOf, type Static, string } from '../contract/shape.ts';
import { type CompletedPlace, completionKinds, openCompletions } from '../tables/postcodes/completions.ts';
import type { PostcodeRow } from '../tables/postcodes/postcodes.ts';
import { authorityArea } from './postcodes/areas.ts';

const suggestion = object(
  'PostcodeSuggestion',
  {
    kind: oneOf(['postcode', ...completionKinds], { description: 'What the suggestion is.' }),
    name: string({ description: 'Text to show: a postcode, an outcode, or the name of a place.' }),
    code: nullable(
      string({
        description: 'Official (ONS) code of the place. Null for postcodes and outcodes, which have none.',
      }),
    ),
    within: nullable(
      string({
        description: 'Authority or nation around it, to tell equal names apart. Null: unknown.',
      }),
    ),
    postcode: string({
      description:
        'A postcode that you can send to the other endpoints: the postcode in use nearest to the coordinates or, without coordinates, the first one.',
    }),
    latitude: nullable(
      number({
        description:
          'Latitude, WGS 84. For a place or outcode: the mean of its postcodes. Null: none of them has coordinates.',
      }),
    ),
    longitude: nullable(number({ description: 'Longitude, by the same rule.' })),
  },
  { description: 'One suggestion.' },
);

type Suggestion = Static<typeof suggestion>;

export const postcodesComplete = endpoint({
  method: 'GET',
  path: '/postcodes/complete',
  summary: 'Suggestions for a half-typed postcode or place',
  description:
    'Lists what a text can mean while somebody types it: outcodes and postcodes in use that begin with the text (postcodes only once it has a digit), and authorities, regions, counties and wards with a word that begins with it. The whole code of such an area, such as `E05013385`, finds exactly that area. Case, spacing, accents, apostrophes and hyphens do not matter, `&` means `and`, and `St` and `Saint` mean the same. A space after a whole outcode ends it: `E1 ` means only E1, while `E1` also means E10. Outcodes come first and take at most half of the list if there is anything else. Then come postcodes, then names. Names that equal the text come before names that begin with it, and those before names with a later word that does. Within each group they are sorted by kind (authority, region, county, ward) and name. The list has only names that are loaded, of areas with postcodes in use. It has no towns, because no loaded data with towns may be shown here. The call costs nothing.',
  credits: 0,
  envelope: 'data',
  datasets: ['postcodes'],
  needs: [
    { dataset: 'place-names', fields: [], also: 'wards, counties and regions among the suggestions' },
    {
      dataset: 'authorities',
      fields: [],
      also: 'authorities under the names that councils use',
    },
  ],
  maxAgeSeconds: 0,
  params: {
    q: text({
      description: 'The text typed so far.',
      example: { sandbox: 'zed', live: 'np10' },
      missing: 'INVALID_PARAMETER',
      expected: 'the text typed so far, for example sw1a or west',
    }),
    limit: wholeNumber({
      description: 'Number of suggestions.',
      example: '4',
      min: 1,
      max: 50,
      fallback: 10,
      outside: 'clamp',
      fault: 'INVALID_PARAMETER',
    }),
  },
  tryWith: ['q', 'limit'],
  errors: ['AUTHENTICATION_REQUIRED', 'DATABASE_ERROR', 'INTERNAL_SERVER_ERROR'],
  answer: object('PostcodeCompletions', {
    suggestions: list(suggestion, { description: 'Suggestions, best first.' }),
  }),
  csv: 'suggestions',
  handle: ({ q, limit }, { release }) => {
    const { outcodes, postcodes, places } = openCompletions(release).complete(q, limit);
    const others = [...postcodes.map((row) => describePostcode(release, row)), ...places.map(describePlace)];
    const share = Math.max(limit - others.length, Math.ceil(limit / 2));
    return { suggestions: [...outcodes.slice(0, share).map(describePlace), ...others].slice(0, limit) };
  },
});

const describePlace = ({ kind, name, code, within, postcode, point }: CompletedPlace): Suggestion => ({
  kind,
  name,
  code,
  within,
  postcode,
  latitude: point?.latitudeDegrees ?? null,
  longitude: point?.longitudeDegrees ?? null,
});

const describePostcode = (release: Context['release'], row: PostcodeRow): Suggestion => ({
  kind: 'postcode',
  name: row.postcode,
  code: null,
  within: authorityArea(release, row)?.name ?? row.nation,
  postcode: row.postcode,
  latitude: row.point?.latitudeDegrees ?? null,
  longitude: row.point?.longitudeDegrees ?? null,
});
