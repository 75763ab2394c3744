// The account as a whole: what it is, all of it as a file, and its end.

import { ask } from '../ask.ts';
import { LinkButton } from '../components/button.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { Part, Terms } from '../components/parts.tsx';
import { RenameDialog } from '../components/rename-dialog.tsx';
import { creditsText, dateText, planText } from '../formats.ts';
import { ProofDialog } from '../person/proof-fields.tsx';
import { AccountPage } from './account-page.tsx';
import { accountPath, filePath, type Here, isOwner, mayReadAudit } from './here.ts';
import { roleText } from './roles.ts';

export function AccountSettings({ here }: { readonly here: Here }) {
  const { accountId, account, role, settings } = here;
  return (
    <AccountPage here={here} title="Settings">
      <Terms
        terms={[
          ['Name', account.name],
          ['Account id', <code key="id">{accountId}</code>],
          ['Plan', planText(account.plan)],
          ['Opened', dateText(account.createdAtMs)],
          ['Your role', role === 'operator' ? 'Operator, looking' : roleText(role)],
          [
            'Parameters of requests',
            <>
              {settings.parameters === 'kept' ? 'kept for 7 days' : 'not kept'} (
              <a href={accountPath(accountId, 'requests')}>change under Requests</a>)
            </>,
          ],
        ]}
      />
      {isOwner(here) ? <Rename here={here} /> : null}
      <Part
        title="Export"
        lead="Everything stored about this account, as one JSON file: people, keys (never the keys themselves), usage, journal, requests and audit log."
      >
        {mayReadAudit(here) ? (
          <LinkButton href={filePath(accountId, 'export.json')} file={`account-${accountId}.json`}>
            Export the account
          </LinkButton>
        ) : (
          <p class="soft">An owner of the account can export it.</p>
        )}
      </Part>
      {isOwner(here) ? <Close here={here} /> : null}
    </AccountPage>
  );
}

function Rename({ here }: { readonly here: Here }) {
  const { accountId, account } = here;
  if (account.closedAtMs !== null) return null;
  return (
    <Part title="Name" lead="What the people of this account and the operator read. Keys and credits stay.">
      <DialogButton words="Rename the account">
        {(close) => (
          <RenameDialog
            name={account.name}
            send={(name) => ask('PATCH /portal/accounts/:accountId', { in: { accountId }, takes: { name } })}
            onRenamed={async () => {
              close();
              await here.again();
            }}
            onClose={close}
          />
        )}
      </DialogButton>
    </Part>
  );
}

function Close({ here: { account, accountId, again } }: { readonly here: Here }) {
  return (
    <Part
      title="Close the account"
      lead="Its keys stop at once and its credits are lost. It cannot be opened again."
    >
      <DialogButton look="danger" words="Close the account">
        {(close) => (
          <ProofDialog
            title={`Close ${account.name}`}
            submit="Close it for good"
            look="danger"
            onSend={(takes) => ask('DELETE /portal/accounts/:accountId', { in: { accountId }, takes })}
            onDone={async () => {
              await again();
              close();
            }}
            onClose={close}
          >
            <p>
              From the next call on, every key gets <code>401</code>, and the account loses{' '}
              {creditsText(account.balance)}. Its people can still read statements, usage and audit log,
              because the law requires the journal to be kept.
            </p>
          </ProofDialog>
        )}
      </DialogButton>
    </Part>
  );
}
