// What a person sets for themselves: name, password, second factor, sessions, and the end of it all.

import { useEffect, useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { DialogButton } from '../components/dialog.tsx';
import { Field, Form, PasswordField } from '../components/form.tsx';
import { Answered, Loading, Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { Part, Terms } from '../components/parts.tsx';
import { dateText } from '../formats.ts';
import { useMe } from '../me.ts';
import { goAndSignIn, navigate } from '../router.ts';
import { NewPasswordField, ProofDialog } from './proof-fields.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import type { SettingsOf } from './settings-of.ts';

export function PersonSettings() {
  const me = useMe();
  return (
    <Page title="Your settings" lead="These are yours alone. Each account has its own settings.">
      <Answered of={me} lines={10}>
        {({ person }) => (person === null ? <ToSignIn /> : <Settings person={person} again={me.again} />)}
      </Answered>
    </Page>
  );
}

function ToSignIn() {
  useEffect(goAndSignIn, []);
  return <Loading lines={10} />;
}

function Settings({ person, again }: SettingsOf) {
  return (
    <div class="settings">
      <Terms
        terms={[
          ['E-mail address', person.email],
          ['Here since', dateText(person.createdAtMs)],
        ]}
      />
      <Name person={person} again={again} />
      <Password />
      <SecondFactor person={person} again={again} />
      <Sessions />
      <ErasePerson person={person} again={again} />
    </div>
  );
}

function Name({ person, again }: SettingsOf) {
  const [state, setState] = useState<'typing' | 'saved'>('typing');
  return (
    <Part title="Name" lead="Members of your accounts see it beside your address.">
      <Form
        submit="Save"
        first={{ name: person.name ?? '' }}
        onSend={({ name }) =>
          ask('PATCH /portal/person', {
            takes: { name: name.trim() === '' ? null : name },
          })
        }
        onDone={async () => {
          await again();
          setState('saved');
        }}
        beside={<span role="status">{state === 'saved' ? 'Saved' : ''}</span>}
      >
        {(field) => (
          <Field
            label="Your name"
            autocomplete="name"
            {...field('name')}
            onValue={(value) => {
              field('name').onValue(value);
              setState('typing');
            }}
          />
        )}
      </Form>
    </Part>
  );
}

function Password() {
  const [state, setState] = useState<'typing' | 'changed'>('typing');
  return (
    <Part title="Password" lead="Changing it ends every other session.">
      {state === 'changed' ? (
        <Notice tone="good" title="Your password has changed">
          <p>Every other session has ended.</p>
        </Notice>
      ) : (
        <Form
          submit="Change the password"
          first={{ current: '', next: '' }}
          onSend={({ current, next }) => ask('POST /portal/password', { takes: { current, next } })}
          onDone={() => setState('changed')}
        >
          {(field) => (
            <>
              <PasswordField label="Current password" autocomplete="current-password" {...field('current')} />
              <NewPasswordField label="New password" {...field('next')} />
            </>
          )}
        </Form>
      )}
    </Part>
  );
}

function ErasePerson({ person, again }: SettingsOf) {
  return (
    <Part
      title="Erase me"
      lead="Your address, your name and your sessions are removed for good. Accounts and what they were charged stay; hand over those that you alone own first."
    >
      <DialogButton look="danger" words="Erase me">
        {(close) => (
          <ProofDialog
            title="Erase yourself for good"
            submit="Erase me for good"
            look="danger"
            onSend={(takes) => ask('DELETE /portal/person', { takes })}
            onDone={async () => {
              await again();
              navigate('/', { as: 'replace' });
            }}
            onClose={close}
          >
            <p>
              Nothing brings <strong>{person.email}</strong> back.
            </p>
          </ProofDialog>
        )}
      </DialogButton>
    </Part>
  );
}
