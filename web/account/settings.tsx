// The account as a whole: what it is, all of it as a file, and its end.

import { useState } from 'preact/hooks';
import { ask } from '../ask.ts';
import { Button, LinkButton } from '../components/button.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Part, Terms } from '../components/parts.tsx';
import { RenameDialog } from '../components/rename-dialog.tsx';
import { creditsText, dateText, planText } from '../formats.ts';
import { useMe } from '../me.ts';
import { noProof, ProofFields, proofTakes } from '../person/proof-fields.tsx';
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
  const [state, setState] = useState<'closed' | 'asking'>('closed');
  if (account.closedAtMs !== null) return null;
  return (
    <Part title="Name" lead="What the people of this account and the operator read. Keys and credits stay.">
      <Button onPress={() => setState('asking')}>Rename the account</Button>
      {state === 'closed' ? null : (
        <RenameDialog
          name={account.name}
          send={(name) => ask('PATCH /portal/accounts/:accountId', { in: { accountId }, takes: { name } })}
          onRenamed={async () => {
            setState('closed');
            await here.again();
          }}
          onClose={() => setState('closed')}
        />
      )}
    </Part>
  );
}

function Close({ here }: { readonly here: Here }) {
  const [state, setState] = useState<'closed' | 'asking'>('closed');
  return (
    <Part
      title="Close the account"
      lead="Its keys stop at once and its credits are lost. It cannot be opened again."
    >
      <Button look="danger" onPress={() => setState('asking')}>
        Close the account
      </Button>
      {state === 'closed' ? null : <CloseDialog here={here} onClose={() => setState('closed')} />}
    </Part>
  );
}

function CloseDialog({ here, onClose }: { readonly here: Here; readonly onClose: () => void }) {
  const { account, accountId } = here;
  const me = useMe();
  const factor = me.kind === 'told' ? (me.told.person?.secondFactor ?? 'none') : 'none';
  return (
    <FormDialog
      title={`Close ${account.name}`}
      submit="Close it for good"
      look="danger"
      first={noProof}
      onSend={async (proof) => {
        const answer = await ask('DELETE /portal/accounts/:accountId', {
          in: { accountId },
          takes: proofTakes(proof, factor),
        });
        if (answer.kind === 'refused') return answer;
        await here.again();
        onClose();
        return undefined;
      }}
      onClose={onClose}
    >
      {(field) => (
        <>
          <p>
            From the next call on, every key gets <code>401</code>, and the account loses{' '}
            {creditsText(account.balance)}. Its people can still read statements, usage and audit log, because
            the law requires the journal to be kept.
          </p>
          <ProofFields field={field} factor={factor} />
        </>
      )}
    </FormDialog>
  );
}
