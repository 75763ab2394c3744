// Who is signed in: asked before the pages are there, and again when they ask for it.

import { type Answer, ask } from './ask.ts';

type Me = Promise<Answer<'GET /portal/me'>>;

const make = (): Me => ask('GET /portal/me', {});

let first: Me | undefined;

export function askMeAhead(): Me {
  first = make();
  return first;
}

/** The first time, what was asked ahead. */
export function askMe(): Me {
  const asked = first ?? make();
  first = undefined;
  return asked;
}
