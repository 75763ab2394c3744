// Everybody who signed up, and the way to invite somebody.

import { useState } from 'preact/hooks';
import { ask, type Told } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { DialogButton, FormDialog } from '../components/dialog.tsx';
import { EmailField } from '../components/form.tsx';
import { Answered, EmptyState, Notice } from '../components/notice.tsx';
import { Badge, Code } from '../components/parts.tsx';
import { type Column, Table } from '../components/table.tsx';
import { countText, dateText, numberText, shellText } from '../formats.ts';
import { useMe } from '../me.ts';
import { ProofDialog } from '../person/proof-fields.tsx';
import { setQuery, useQuery } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { OperatorPage } from './operator-page.tsx';
import { SearchForm } from './search-form.tsx';

type Person = Told<'GET /portal/admin/people'>['people'][number];

export function PeoplePage() {
  const words = useQuery().get('q') ?? '';
  const asked = useAsk('GET /portal/admin/people', { takes: { q: words } });
  const [invited, setInvited] = useState<string | undefined>(undefined);
  const [promoting, setPromoting] = useState<Person | undefined>(undefined);
  const columns = columnsWith(setPromoting);
  const invite = (
    <DialogButton look="primary" words="Invite somebody">
      {(close) => (
        <Invite
          onClose={close}
          onInvited={async (email) => {
            setInvited(email);
            close();
            await asked.again();
          }}
        />
      )}
    </DialogButton>
  );
  return (
    <OperatorPage title="People" actions={invite}>
      {promoting === undefined ? null : (
        <MakeOperator
          person={promoting}
          onClose={() => setPromoting(undefined)}
          onDone={async () => {
            setPromoting(undefined);
            await asked.again();
          }}
        />
      )}
      <div class="stack">
        {invited === undefined ? null : <Invited email={invited} />}
        <SearchForm
          key={words}
          label="Find a person"
          hint="Name or e-mail address."
          words={words}
          onSearch={(q) => setQuery({ q })}
        />
        <Answered of={asked} lines={10}>
          {({ people, total }) =>
            people.length === 0 ? (
              <Nobody words={words} />
            ) : (
              <>
                <Table
                  caption="People"
                  narrow="lines"
                  columns={columns}
                  rows={people}
                  keyOf={({ personId }) => personId}
                />
                <p class="soft">
                  {people.length === total
                    ? countText(total, 'person', 'people')
                    : `The newest ${numberText(people.length)} of ${numberText(total)}: search for the others.`}
                </p>
              </>
            )
          }
        </Answered>
      </div>
    </OperatorPage>
  );
}

const columnsWith = (promote: (person: Person) => void): readonly Column<Person>[] => [
  {
    title: 'Person',
    kind: 'name',
    by: ({ name, email }) => name ?? email,
    cell: ({ name, email, standing }) => (
      <>
        {name ?? email} {standing === 'operator' ? <Badge tone="good">operator</Badge> : null}
        {name === null ? null : <span class="under">{email}</span>}
      </>
    ),
  },
  {
    title: 'Address',
    by: ({ confirmed }) => confirmed,
    cell: ({ confirmed }) =>
      confirmed === 'yes' ? (
        <>
          <span>confirmed</span>
          <span class="if-narrow"> address</span>
        </>
      ) : (
        <Badge tone="warning">not confirmed</Badge>
      ),
  },
  {
    title: 'Second factor',
    by: ({ secondFactor }) => secondFactor,
    cell: ({ secondFactor }) =>
      secondFactor === 'totp' ? (
        <>
          <span class="if-narrow">second factor </span>on
        </>
      ) : (
        <span class="soft if-wide">none</span>
      ),
  },
  {
    title: 'Accounts',
    by: ({ accounts }) => accounts.length,
    cell: ({ accounts }) =>
      accounts.length === 0 ? (
        <span class="soft">
          none<span class="if-narrow"> of the accounts</span>
        </span>
      ) : (
        <ul>
          {accounts.map(({ accountId, name }) => (
            <li key={accountId}>
              <a href={`/admin/accounts/${encodeURIComponent(accountId)}`}>{name ?? accountId}</a>
            </li>
          ))}
        </ul>
      ),
  },
  {
    title: 'Since',
    inLines: 'beside the name',
    by: ({ createdAtMs }) => createdAtMs,
    cell: ({ createdAtMs }) => <span class="time">{dateText(createdAtMs)}</span>,
  },
  {
    title: 'Actions',
    kind: 'actions',
    cell: (person) =>
      person.confirmed === 'yes' && person.standing !== 'operator' ? (
        <Button size="small" label={`Make operator: ${person.email}`} onPress={() => promote(person)}>
          Make operator
        </Button>
      ) : null,
  },
];

type MakeOperatorWish = {
  readonly person: Person;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
};

function MakeOperator({ person: { personId, email }, onDone, onClose }: MakeOperatorWish) {
  return (
    <ProofDialog
      title="Make an operator"
      submit="Make operator"
      onSend={(takes) => ask('POST /portal/admin/people/:personId/operator', { in: { personId }, takes })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        <strong>{email}</strong> will see every account, correct credits, decide plans and make other
        operators. Only the command <code>npx domesday people operator {shellText(email)} --remove</code>{' '}
        takes it away.
      </p>
    </ProofDialog>
  );
}

function Nobody({ words }: { readonly words: string }) {
  return words === '' ? (
    <EmptyState title="Nobody signed up yet" />
  ) : (
    <EmptyState
      title="Nobody found"
      action={<Button onPress={() => setQuery({ q: undefined })}>Show everybody</Button>}
    >
      <p>Nobody has “{words}” in name or address.</p>
    </EmptyState>
  );
}

/** Without a mail server the link is had by a command, and shown nowhere else. */
function Invited({ email }: { readonly email: string }) {
  const me = useMe();
  if (me.kind !== 'told' || me.told.mail === 'sent')
    return <Notice tone="good" title={`We have sent an invitation to ${email}`} />;
  return (
    <Notice tone="good" title={`${email} is invited`}>
      <p>This service sends no e-mail. Print the link on its machine, and give it to nobody else:</p>
      <Code
        text={`npx domesday people link ${shellText(email)}`}
        label="Command that prints the link"
        copy="the command"
      />
    </Notice>
  );
}

function Invite({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void;
  readonly onInvited: (email: string) => Promise<void>;
}) {
  const me = useMe();
  const isClosed = me.kind === 'told' && me.told.signUp === 'closed';
  return (
    <FormDialog
      title="Invite somebody"
      submit="Invite"
      first={{ email: '' }}
      onSend={({ email }) => ask('POST /portal/admin/invites', { takes: { email: email.trim() } })}
      onDone={(_, { email }) => onInvited(email.trim())}
      onClose={onClose}
    >
      {(field) => (
        <>
          <p>
            They sign up with a link that works once, for 7 days, and start a trial of their own. To give
            somebody an account that is not a trial, open one under <a href="/admin">Accounts</a>.
          </p>
          {isClosed ? (
            <Notice tone="warning" title="Sign-up is closed here">
              <p>
                Nobody new can use the link. Set <code>DOMESDAY_SIGNUP=invited</code> and start the service
                again.
              </p>
            </Notice>
          ) : null}
          <EmailField whose="of another" {...field('email')} />
        </>
      )}
    </FormDialog>
  );
}
