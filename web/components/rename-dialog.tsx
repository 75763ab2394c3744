// Gives an account another name: for its owner and for the operator.

import { oneLine } from '../formats.ts';
import { FormDialog } from './dialog.tsx';
import { Field, type Sent } from './form.tsx';

type RenameWish = {
  readonly name: string;
  readonly send: (name: string) => Promise<Sent<unknown>>;
  readonly onRenamed: (name: string) => Promise<void>;
  readonly onClose: () => void;
};

export function RenameDialog({ name: before, send, onRenamed, onClose }: RenameWish) {
  return (
    <FormDialog
      title={`Rename ${before}`}
      submit="Rename"
      first={{ name: before }}
      onSend={({ name }) => send(oneLine(name))}
      onDone={(_, { name }) => onRenamed(oneLine(name))}
      onClose={onClose}
    >
      {(field) => <Field label="Name of the account" required maxLength={100} {...field('name')} />}
    </FormDialog>
  );
}
