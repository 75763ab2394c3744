// Who is signed in, and what this service lets anybody do: asked once, kept for all pages, asked again when it changes.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Told } from './ask.ts';
import type { Asked } from './use-ask.ts';

export type Me = Told<'GET /portal/me'>;

export const MeContext = createContext<Asked<'GET /portal/me'>>({
  kind: 'loading',
  again: async () => {},
});

export const useMe = (): Asked<'GET /portal/me'> => useContext(MeContext);
