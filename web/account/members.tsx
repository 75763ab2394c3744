// Who belongs to the account, with what they may do, and who is invited.

import { useState } from 'preact/hooks';
import type { InviteView, MemberView, Role } from '../../src/people/people.ts';
import { ask } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { Confirm, FormDialog } from '../components/dialog.tsx';
import { Choices, EmailField } from '../components/form.tsx';
import { Answered, Notice } from '../components/notice.tsx';
import { Badge, Part } from '../components/parts.tsx';
import { type Column, Table } from '../components/table.tsx';
import { dateText } from '../formats.ts';
import { useMe } from '../me.ts';
import { navigate } from '../router.ts';
import { useAsk } from '../use-ask.ts';
import { AccountPage } from './account-page.tsx';
import { type Here, isOwner } from './here.ts';
import { roleOptions, roleText } from './roles.ts';

type Doing =
  | { readonly what: 'invite'; readonly first: Invitation }
  | { readonly what: 'change' | 'remove'; readonly member: MemberView }
  | { readonly what: 'withdraw'; readonly invite: InviteView };

export function Members({ here }: { readonly here: Here }) {
  const { accountId } = here;
  const asked = useAsk('GET /portal/accounts/:accountId/members', { in: { accountId } });
  const [doing, setDoing] = useState<Doing | undefined>(undefined);
  const [invited, setInvited] = useState<string | undefined>(undefined);
  const may = isOwner(here);
  return (
    <AccountPage
      here={here}
      title="People"
      lead="Who can see this account, and what each person can do."
      actions={
        may ? (
          <Button look="primary" onPress={() => setDoing({ what: 'invite', first: nobody })}>
            Invite somebody
          </Button>
        ) : undefined
      }
    >
      <Answered of={asked} lines={6}>
        {({ members, invites }) => (
          <>
            {invited === undefined ? null : <Invited email={invited} />}
            <MemberTable members={members} here={here} onDo={setDoing} />
            <Invites invites={invites} {...(may ? { onDo: setDoing } : {})} />
            <RolesExplained />
          </>
        )}
      </Answered>
      <Doings
        doing={doing}
        accountId={accountId}
        again={asked.again}
        onInvited={setInvited}
        onClose={() => setDoing(undefined)}
      />
    </AccountPage>
  );
}

function Invited({ email }: { readonly email: string }) {
  const me = useMe();
  const isMailed = me.kind === 'told' && me.told.mail === 'sent';
  return (
    <Notice tone="good" title={`${email} is invited`}>
      <p>
        {isMailed
          ? 'We have sent a link by e-mail.'
          : 'This service sends no e-mail. Ask the operator for the link, and pass it on.'}
      </p>
    </Notice>
  );
}

type MemberTableWish = {
  readonly members: readonly MemberView[];
  readonly here: Here;
  readonly onDo: (doing: Doing) => void;
};

function MemberTable({ members, here, onDo }: MemberTableWish) {
  const me = useMe();
  const own = me.kind === 'told' ? me.told.person?.personId : undefined;
  const columns: readonly Column<MemberView>[] = [
    {
      title: 'Person',
      kind: 'name',
      by: ({ name, email }) => name ?? email,
      cell: ({ personId, name, email }) => (
        <>
          {name ?? email} {personId === own ? <Badge>you</Badge> : null}
          {name === null ? null : <span class="under">{email}</span>}
        </>
      ),
    },
    { title: 'Role', by: ({ role }) => role, cell: ({ role }) => roleText(role) },
    { title: 'Since', by: ({ sinceMs }) => sinceMs, cell: ({ sinceMs }) => dateText(sinceMs) },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (member) => {
        const isOwn = member.personId === own;
        const name = member.name ?? member.email;
        if (!isOwn && !isOwner(here)) return null;
        return (
          <span class="row-actions">
            {isOwner(here) ? (
              <Button
                size="small"
                label={`Change role of ${name}`}
                onPress={() => onDo({ what: 'change', member })}
              >
                Change role
              </Button>
            ) : null}
            <Button
              size="small"
              look="danger"
              label={isOwn ? 'Leave this account' : `Remove ${name}`}
              onPress={() => onDo({ what: 'remove', member })}
            >
              {isOwn ? 'Leave' : 'Remove'}
            </Button>
          </span>
        );
      },
    },
  ];
  return (
    <Table
      caption="People in this account"
      narrow="cards"
      rows={members}
      keyOf={({ personId }) => personId}
      columns={columns}
    />
  );
}

type InvitesWish = { readonly invites: readonly InviteView[]; readonly onDo?: (doing: Doing) => void };

function Invites({ invites, onDo }: InvitesWish) {
  if (invites.length === 0) return null;
  const columns: readonly Column<InviteView>[] = [
    { title: 'Address', kind: 'name', cell: ({ email }) => email },
    { title: 'Role', cell: ({ role }) => roleText(role) },
    { title: 'Invited', cell: ({ sentAtMs }) => dateText(sentAtMs) },
    { title: 'Link ends', cell: ({ expiresAtMs }) => dateText(expiresAtMs) },
  ];
  const actions: Column<InviteView> = {
    title: 'Actions',
    kind: 'actions',
    cell: (invite) => (
      <span class="row-actions">
        <Button
          size="small"
          label={`Invite again: ${invite.email}`}
          onPress={() => onDo?.({ what: 'invite', first: { email: invite.email, role: invite.role } })}
        >
          Invite again
        </Button>
        <Button
          size="small"
          label={`Withdraw the invitation for ${invite.email}`}
          onPress={() => onDo?.({ what: 'withdraw', invite })}
        >
          Withdraw
        </Button>
      </span>
    ),
  };
  return (
    <Part title="Invited" lead="They have not answered yet.">
      <Table
        caption="Open invitations"
        narrow="cards"
        rows={invites}
        keyOf={({ inviteId }) => inviteId}
        columns={onDo === undefined ? columns : [...columns, actions]}
      />
    </Part>
  );
}

function RolesExplained() {
  return (
    <Part title="What each role can do">
      <dl class="terms">
        {roleOptions.map(({ value, label, hint }) => (
          <div key={value}>
            <dt>{label}</dt>
            <dd>{hint}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

type DoingsWish = {
  readonly doing: Doing | undefined;
  readonly accountId: string;
  readonly again: () => Promise<void>;
  readonly onInvited: (email: string) => void;
  readonly onClose: () => void;
};

function Doings({ doing, accountId, again, onInvited, onClose }: DoingsWish) {
  switch (doing?.what) {
    case undefined:
      return null;
    case 'invite':
      return (
        <Invite
          first={doing.first}
          accountId={accountId}
          again={again}
          onInvited={onInvited}
          onClose={onClose}
        />
      );
    case 'change':
      return <ChangeRole accountId={accountId} member={doing.member} again={again} onClose={onClose} />;
    case 'remove':
      return <Remove accountId={accountId} member={doing.member} again={again} onClose={onClose} />;
    case 'withdraw':
      return <Withdraw accountId={accountId} invite={doing.invite} again={again} onClose={onClose} />;
  }
}

type DoWish = Pick<DoingsWish, 'accountId' | 'again' | 'onClose'>;

type Invitation = { readonly email: string; readonly role: Role };
type InviteWish = DoWish & Pick<DoingsWish, 'onInvited'> & { readonly first: Invitation };

const nobody: Invitation = { email: '', role: 'developer' };

function Invite({ accountId, first, again, onInvited, onClose }: InviteWish) {
  const isAgain = first.email !== '';
  return (
    <FormDialog
      title={isAgain ? 'Invite again' : 'Invite somebody'}
      submit={isAgain ? 'Invite again' : 'Invite'}
      first={first}
      onSend={({ email, role }) =>
        ask('POST /portal/accounts/:accountId/invites', {
          in: { accountId },
          takes: { email: email.trim(), role },
        })
      }
      onDone={async (_, { email }) => {
        onInvited(email.trim());
        await again();
        onClose();
      }}
      onClose={onClose}
    >
      {(field) => (
        <>
          {isAgain ? <p>There will be a new link. The one before it stops working.</p> : null}
          <EmailField whose="of another" {...field('email')} />
          <Choices legend="Role" options={roleOptions} {...field('role')} />
        </>
      )}
    </FormDialog>
  );
}

function ChangeRole({ accountId, member, again, onClose }: DoWish & { readonly member: MemberView }) {
  const [role, setRole] = useState<Role>(member.role);
  return (
    <Confirm
      title={`Role of ${member.name ?? member.email}`}
      submit="Save"
      look="primary"
      onSend={() =>
        ask('PATCH /portal/accounts/:accountId/members/:personId', {
          in: { accountId, personId: member.personId },
          takes: { role },
        })
      }
      onDone={again}
      onClose={onClose}
    >
      <Choices legend="Role" value={role} options={roleOptions} onValue={setRole} />
    </Confirm>
  );
}

function Remove({ accountId, member, again, onClose }: DoWish & { readonly member: MemberView }) {
  const me = useMe();
  const isOwn = me.kind === 'told' && me.told.person?.personId === member.personId;
  const name = member.name ?? member.email;
  return (
    <Confirm
      title={isOwn ? 'Leave this account' : `Remove ${name}`}
      submit={isOwn ? 'Leave it' : 'Remove'}
      onSend={() =>
        ask('DELETE /portal/accounts/:accountId/members/:personId', {
          in: { accountId, personId: member.personId },
        })
      }
      onDone={async () => {
        if (isOwn) navigate('/account', { as: 'replace' });
        else await again();
      }}
      onClose={onClose}
    >
      <p>
        {isOwn ? 'You lose access at once. An owner can invite you again.' : `${name} loses access at once.`}{' '}
        Keys stay as they are. Revoke those that only {isOwn ? 'you' : 'they'} used.
      </p>
    </Confirm>
  );
}

function Withdraw({ accountId, invite, again, onClose }: DoWish & { readonly invite: InviteView }) {
  return (
    <Confirm
      title={`Withdraw the invitation for ${invite.email}`}
      submit="Withdraw it"
      onSend={() =>
        ask('DELETE /portal/accounts/:accountId/invites/:inviteId', {
          in: { accountId, inviteId: invite.inviteId },
        })
      }
      onDone={again}
      onClose={onClose}
    >
      <p>The link that we sent stops working.</p>
    </Confirm>
  );
}
