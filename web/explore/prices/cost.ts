// What a further call costs, said before it is made.

import { credits } from '../../api/answers.ts';
import type { ApiPath } from '../../api/call.ts';
import { creditsText } from '../../formats.ts';
import { usePayer } from '../use-payer.ts';

/** "free", "2 credits". */
export function useCost(...paths: readonly ApiPath[]): string {
  const { kind } = usePayer();
  const sum = paths.reduce((total, path) => total + credits[path], 0);
  return kind === 'sandbox' || sum === 0 ? 'free' : creditsText(sum);
}
