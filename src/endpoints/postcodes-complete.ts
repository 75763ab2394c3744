// GET /postcodes/complete: what a half typed text can mean, for a field that suggests while somebody types.

import { type Context, endpoint } from '../contract/endpoint.ts';
import { text, wholeNumber } from '../contract/params.ts';
import { list, nullable, number, object, oneOf, type Static, string } from '../contract/shape.ts';
import { type CompletedPlace, openCompletions } from '../tables/postcodes/completions.ts';
import { completionKinds } from '../tables/postcodes/completions-table.ts';
import type { PostcodeRow } from '../tables/postcodes/postcodes.ts';
import { authorityArea } from './postcodes/areas.ts';

const suggestion = object('PostcodeSuggestion', {
  kind: oneOf(['postcode', ...completionKinds]),
  name: string({ description: 'What to show: a postcode, an outcode, or the name of a place.' }),
  code: nullable(
    string({
      description: 'Code of the national statistics; null for postcodes and outcodes, which have none.',
    }),
  ),
  within: nullable(
    string({
      description:
        'Authority or nation that it lies in, to tell equal names apart; null where it is not known.',
    }),
  ),
  postcode: string({
    description:
      'A postcode to ask the other endpoints for: the one in use nearest to the point, or the first where there is no point.',
  }),
  latitude: nullable(
    number({
      description: 'WGS84; of a place or outcode the mean of its postcodes. Null where none has a point.',
    }),
  ),
  longitude: nullable(number({ description: 'As `latitude`.' })),
});

type Suggestion = Static<typeof suggestion>;

export const postcodesComplete = endpoint({
  method: 'GET',
  path: '/postcodes/complete',
  summary: 'Suggestions for a half typed postcode or place',
  description:
    'Lists what a text can mean while it is typed: outcodes and postcodes in use that begin with it (postcodes from the first digit on), and authorities, regions, counties and wards with a name of which a word begins so. Any case and spacing; accents, apostrophes and hyphens do not matter, `&` is the word and, St and Saint are found by either. A space after a whole outcode ends it: `E1 ` means E1 alone, `E1` also E10. Outcodes come first, at most half of the list where there is anything else; then postcodes; then names, those that are exactly the text before those that begin with it, before those with a later word that does, each by kind (authority, region, county, ward) and name. Names are those that are loaded of areas that have postcodes in use; towns are not among them, as no loaded data that may be shown here has them. It costs nothing.',
  credits: 0,
  envelope: 'data',
  datasets: ['postcodes'],
  needs: [
    { dataset: 'place-names', fields: [], also: 'wards, counties and regions among the suggestions' },
    {
      dataset: 'authorities',
      fields: [],
      also: 'authorities by the names that councils have for themselves',
    },
  ],
  maxAgeSeconds: 0,
  params: {
    q: text({
      description: 'What was typed so far.',
      example: { sandbox: 'zed', live: 'np10' },
      missing: 'INVALID_PARAMETER',
      expected: 'what was typed so far, for example sw1a or west',
    }),
    limit: wholeNumber({
      description: 'How many to list.',
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
  answer: object('PostcodeCompletions', { suggestions: list(suggestion) }),
  csv: 'suggestions',
  example: {
    suggestions: [
      {
        kind: 'authority',
        name: 'Zedborth County Council',
        code: 'W06000999',
        within: 'Wales',
        postcode: 'ZZ3 2AB',
        latitude: 54.177483,
        longitude: 0.876725,
      },
      {
        kind: 'authority',
        name: 'Zedbury Borough Council',
        code: 'E06000999',
        within: 'England',
        postcode: 'ZZ1 2AF',
        latitude: 54.184183,
        longitude: 0.925987,
      },
      {
        kind: 'authority',
        name: 'Zedhaven Council',
        code: 'S12000999',
        within: 'Scotland',
        postcode: 'ZZ4 1AD',
        latitude: 54.208359,
        longitude: 0.912209,
      },
      {
        kind: 'ward',
        name: 'Zedborth Bay',
        code: 'W05999001',
        within: 'Zedborth County Council',
        postcode: 'ZZ3 2AB',
        latitude: 54.177483,
        longitude: 0.876725,
      },
    ],
  },
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
