// Changes of the ledger leave a line in the audit log. The ledger comes first: a line about what never happened would be worse
// than a change whose line is missing, and that is told.

import { refuse } from '../../people/outcome.ts';
import type { Actor, Event, Refusal } from '../../people/people.ts';
import type { PortalDesk } from '../desk.ts';
import type { Told } from '../route.ts';

type By = { readonly actor: Actor; readonly requestId: string };

/** The answer, once the line is written. */
export async function audited<T>(
  { people, reportFault }: PortalDesk,
  { actor, requestId }: By,
  event: Event,
  answer: Told<T>,
): Promise<Told<T> | Refusal> {
  try {
    await people.audit.write(actor, event);
    return answer;
  } catch (fault) {
    reportFault(
      `a change was made that the audit log lacks: ${event.what} ${event.subject}`,
      fault,
      requestId,
    );
    return refuse(
      'FAULT',
      'The change was made, but it is missing from the audit log. Do not repeat it; check whether it is as you want it, and tell the operator.',
    );
  }
}
