// The right to be forgotten: address, name and sessions go; what accounts were charged stays theirs.

import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Part } from '../components/parts.tsx';
import { navigate } from '../router.ts';
import { noProof, ProofFields, proofTakes } from './proof-fields.tsx';
import type { SettingsOf } from './settings-of.ts';

export function ErasePerson({ person, again }: SettingsOf) {
  const [state, setState] = useState<'closed' | 'open'>('closed');
  const factor = person.secondFactor;
  return (
    <Part
      title="Erase me"
      lead="Your address, your name and your sessions are removed for good. Accounts and what they were charged stay; hand over those that you alone own first."
    >
      <Button look="danger" onPress={() => setState('open')}>
        Erase me
      </Button>
      {state === 'closed' ? null : (
        <FormDialog
          title="Erase yourself for good"
          submit="Erase me for good"
          look="danger"
          first={noProof}
          onSend={async (proof) => {
            const answer = await ask('DELETE /portal/person', { takes: proofTakes(proof, factor) });
            if (answer.kind === 'refused') return answer;
            await again();
            navigate('/', { as: 'replace' });
            return undefined;
          }}
          onClose={() => setState('closed')}
        >
          {(field) => (
            <>
              <p>
                Nothing brings <strong>{person.email}</strong> back.
              </p>
              <ProofFields field={field} factor={factor} />
            </>
          )}
        </FormDialog>
      )}
    </Part>
  );
}
