// The right to be forgotten: address, name and sessions go; what accounts were charged stays theirs.

import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field, Form, PasswordField } from '../components/form.tsx';
import { Part } from '../components/parts.tsx';
import { navigate } from '../router.ts';
import type { SettingsOf } from './settings-of.ts';

export function ErasePerson({ person, again }: SettingsOf) {
  const [state, setState] = useState<'closed' | 'open'>('closed');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const hasFactor = person.secondFactor === 'totp';
  return (
    <Part
      title="Erase me"
      lead="Your address, your name and your sessions are removed for good. Accounts and what they were charged stay; hand over those that you alone own first."
    >
      <Button look="danger" onPress={() => setState('open')}>
        Erase me
      </Button>
      {state === 'closed' ? null : (
        <Dialog title="Erase yourself for good" onClose={() => setState('closed')}>
          <Form
            submit="Erase me for good"
            look="danger"
            fields={['password', 'code']}
            onSend={async () => {
              const takes = hasFactor ? { password, code } : { password };
              const answer = await ask('DELETE /portal/person', { takes });
              if (answer.kind === 'refused') return answer;
              await again();
              navigate('/', { as: 'replace' });
              return undefined;
            }}
          >
            {(refused) => (
              <>
                <p>
                  Nothing brings <strong>{person.email}</strong> back.
                </p>
                <PasswordField
                  label="Your password"
                  autocomplete="current-password"
                  value={password}
                  onValue={setPassword}
                  error={refused('password')}
                />
                {hasFactor ? (
                  <Field
                    label="Code of your authenticator"
                    autocomplete="one-time-code"
                    required
                    value={code}
                    onValue={setCode}
                    error={refused('code')}
                  />
                ) : null}
              </>
            )}
          </Form>
        </Dialog>
      )}
    </Part>
  );
}
