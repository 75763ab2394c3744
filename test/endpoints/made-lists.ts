// Valuation lists of made homes, loaded by the real ingest and asked about through the server: one list with commas and
// one without, each with its own districts and towns.

import path from 'node:path';
import { openTestHome } from '../ingest/home.ts';
import { openRig } from '../rig.ts';
import { Chance, surroundings } from '../uk/address/grammar.ts';
import { note, type Score, type Trial, trialsAt } from '../uk/address/trials.ts';
import { madeDirectory } from './made-postcodes.ts';

const data = path.join(import.meta.dirname, '../../data');
const facts = ['billing-authorities.csv', 'authorities.json', 'council-tax.csv', 'council-tax.json'];
const authorities = { with: 'E08000035', without: 'E08000032' } as const;
const noLimits = { minute: null, day: null, month: null };
const letters = 'ABDEFGHJLNPQRSTUWXYZ';
const perDistrict = 400;
const refusals = ['PROPERTY_NOT_FOUND', 'FLAT_ONLY_ADDRESS', 'ORGANISATION_OR_AGENT_NAME'];

type Asked = Trial & { readonly postcode: string; readonly commas: 'with' | 'without' };

/** A postcode each. */
function makeTrials(chance: Chance, count: number): readonly Asked[] {
  const made: Asked[] = [];
  for (let district = 1; made.length < count; district += 1) {
    const commas = chance.of(['with', 'without'] as const);
    const { town } = surroundings(chance);
    for (let at = 0; at < perDistrict && made.length < count; ) {
      for (const trial of trialsAt(chance, town, commas)) {
        const [first, second] = [letters[at % 20], letters[Math.floor(at / 20) % 20]];
        made.push({
          ...trial,
          commas,
          postcode: `LS${district % 100} ${Math.floor(district / 100)}${first}${second}`,
        });
        at += 1;
        if (at === perDistrict) break;
      }
    }
  }
  return made;
}

type Listed = {
  readonly postcode: string;
  readonly commas: 'with' | 'without';
  readonly list: readonly string[];
};

export type Made = {
  /** The matched address without its postcode, or what the refusal says. */
  ask(
    postcode: string,
    address: string,
  ): Promise<
    | { readonly kind: 'found'; readonly address: string }
    | { readonly kind: 'refused'; readonly code: string; readonly suggestions: readonly string[] }
  >;
  close(): Promise<void>;
};

/** A server on the lists. */
export async function openMade(places: readonly Listed[]): Promise<Made> {
  const home = openTestHome();
  const listOf = (commas: Listed['commas']) => [
    'ADDR,POSTCODE,BAND,AUTHORITY_CODE',
    ...places
      .filter((place) => place.commas === commas)
      .flatMap(({ list, postcode }) => list.map((line) => `"${line}",${postcode},D,${authorities[commas]}`)),
  ];
  const directory = madeDirectory(
    places.map(({ postcode, commas }) => ({
      postcode,
      country: 'england',
      point: [53.8, -1.5],
      authority: authorities[commas],
    })),
  );
  const put = (name: string, lines: readonly string[]) => home.put(name, `${lines.join('\n')}\n`);
  const lists = (['with', 'without'] as const).filter((commas) =>
    places.some((place) => place.commas === commas),
  );
  await home.ingest([
    ...facts.map((name) => path.join(data, 'facts', name)),
    ...lists.map((commas) => put(`${commas}-2026-10-01.csv`, listOf(commas))),
    home.put('ONSPD_NOV_2025_UK.csv', directory),
  ]);
  const rig = await openRig({ live: () => home.store.openCurrent() });
  const { key } = await rig.customer({ limits: noLimits, credits: 1_000_000 });
  return {
    ask: async (postcode, address) => {
      const query = new URLSearchParams({ postcode, address });
      const reply = await rig.get(`/api/v1/council-tax/property-lookup?${query}`, key);
      const { data: found, error } = reply.json();
      const { code, suggestions = [] } = error ?? {};
      if (reply.statusCode === 200)
        return { kind: 'found', address: found.matchedAddress.replace(`, ${postcode}`, '') };
      if (reply.statusCode >= 500 || !refusals.includes(code)) throw new Error(`${address}: ${reply.body}`);
      return { kind: 'refused', code, suggestions };
    },
    close: async () => {
      await rig.close();
      home.remove();
    },
  };
}

/** Loads lists and asks for every one of so many homes. */
export async function askTrials(seed: number, count: number): Promise<Score> {
  const trials = makeTrials(new Chance(seed), count);
  const made = await openMade(trials);
  const score: Score = { differing: 0, wrong: [], found: new Map() };
  try {
    for (const trial of trials) {
      const answer = await made.ask(trial.postcode, trial.text);
      note(score, trial, answer.kind === 'found' ? trial.list.indexOf(answer.address) : -1);
    }
  } finally {
    await made.close();
  }
  return score;
}
