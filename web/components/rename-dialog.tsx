// Gives an account another name: for its owner and for the operator.

import type { Refusal } from '../ask.ts';
import { oneLine } from '../formats.ts';
import { FormDialog } from './dialog.tsx';
import { Field } from './form.tsx';

type RenameWish = {
  readonly name: string;
  readonly send: (name: string) => Promise<{ readonly kind: 'told' } | Refusal>;
  readonly onRenamed: (name: string) => Promise<void>;
  readonly onClose: () => void;
};

export function RenameDialog({ name: before, send, onRenamed, onClose }: RenameWish) {
  return (
    <FormDialog
      title={`Rename ${before}`}
      submit="Rename"
      first={{ name: before }}
      onSend={async ({ name }) => {
        const answer = await send(oneLine(name));
        if (answer.kind === 'refused') return answer;
        await onRenamed(oneLine(name));
        return undefined;
      }}
      onClose={onClose}
    >
      {(field) => <Field label="Name of the account" required maxLength={100} {...field('name')} />}
    </FormDialog>
  );
}
