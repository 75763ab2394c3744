// What an operator does to an account: credits, plan, suspending. Each asks for a reason, which is kept with the change.

import { useState } from 'preact/hooks';
import type { AccountView } from '../../../src/portal/views.ts';
import { ask } from '../../ask.ts';
import { Button } from '../../components/button.tsx';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { ReasonField } from '../../components/form.tsx';
import { Card, Part } from '../../components/parts.tsx';
import { RenameDialog } from '../../components/rename-dialog.tsx';
import { oneLine } from '../../formats.ts';
import { ChangePlan } from './change-plan.tsx';
import { CorrectCredits } from './correct-credits.tsx';
import type { DoingWish } from './doing-wish.ts';

type Doing = 'name' | 'credits' | 'plan' | 'suspend' | 'resume';

export function Doings({
  account,
  onChanged,
}: {
  readonly account: AccountView;
  readonly onChanged: (words: string) => Promise<void>;
}) {
  const [doing, setDoing] = useState<Doing | undefined>(undefined);
  if (account.closedAtMs !== null) return null;
  const wish: DoingWish = {
    account,
    onClose: () => setDoing(undefined),
    onChanged: async (words) => {
      setDoing(undefined);
      await onChanged(words);
    },
  };
  return (
    <Part title="What you can do">
      {doing === undefined ? null : <Dialogue doing={doing} wish={wish} />}
      <Card>
        <ul class="doings">
          <li>
            <p>Its people and you read another name. Keys and credits stay.</p>
            <Button onPress={() => setDoing('name')}>Rename the account</Button>
          </li>
          <li>
            <p>Give credits that last, or take some back.</p>
            <Button onPress={() => setDoing('credits')}>Correct the credits</Button>
          </li>
          <li>
            <p>The limits of the new plan apply from the next call.</p>
            <Button onPress={() => setDoing('plan')}>Change the plan</Button>
          </li>
          {account.suspended === null ? (
            <li>
              <p>Every call gets 403 until you resume it. Nothing is lost.</p>
              <Button look="danger" onPress={() => setDoing('suspend')}>
                Suspend the account
              </Button>
            </li>
          ) : (
            <li>
              <p>Its keys work again at the next call.</p>
              <Button look="primary" onPress={() => setDoing('resume')}>
                Resume the account
              </Button>
            </li>
          )}
        </ul>
      </Card>
    </Part>
  );
}

function Rename({ account: { accountId, name }, onChanged, onClose }: DoingWish) {
  return (
    <RenameDialog
      name={name}
      send={(wished) =>
        ask('POST /portal/admin/accounts/:accountId/name', { in: { accountId }, takes: { name: wished } })
      }
      onRenamed={(wished) => onChanged(`The account is called ${wished} now.`)}
      onClose={onClose}
    />
  );
}

function Dialogue({ doing, wish }: { readonly doing: Doing; readonly wish: DoingWish }) {
  switch (doing) {
    case 'name':
      return <Rename {...wish} />;
    case 'credits':
      return <CorrectCredits {...wish} />;
    case 'plan':
      return <ChangePlan {...wish} />;
    case 'suspend':
      return <Suspend {...wish} />;
    case 'resume':
      return <Resume {...wish} />;
  }
}

function Resume({ account: { accountId, name }, onClose, onChanged }: DoingWish) {
  return (
    <Confirm
      title={`Resume ${name}?`}
      submit="Resume it"
      look="primary"
      onClose={onClose}
      onSend={() => ask('POST /portal/admin/accounts/:accountId/resume', { in: { accountId } })}
      onDone={() => onChanged('The account is resumed: its keys work again.')}
    >
      <p>Its keys work again at the next call.</p>
    </Confirm>
  );
}

function Suspend({ account: { accountId, name }, onClose, onChanged }: DoingWish) {
  return (
    <FormDialog
      title={`Suspend ${name}?`}
      submit="Suspend it"
      look="danger"
      first={{ reason: '' }}
      onSend={({ reason }) =>
        ask('POST /portal/admin/accounts/:accountId/suspend', {
          in: { accountId },
          takes: { reason: oneLine(reason) },
        })
      }
      onDone={() => onChanged('The account is suspended: its keys are refused.')}
      onClose={onClose}
    >
      {(field) => (
        <>
          <p>
            From the next call on, every key of this account gets <code>403 ACCOUNT_SUSPENDED</code>. Credits,
            keys and plan stay as they are, and people can still sign in.
          </p>
          <ReasonField hint="The customer sees it on every page." {...field('reason')} />
        </>
      )}
    </FormDialog>
  );
}
