// A question or a form above the page: the browser's own dialog, which keeps the focus and closes by Escape.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../ask.ts';
import { Button } from './button.tsx';
import { Form, type FormWish } from './form.tsx';

export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // In the same turn as the page: an effect after it leaves a moment in which nothing has the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    // Whatever opened it gets the focus back.
    const opener = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="close" aria-label="Close" onClick={onClose}>
          <span aria-hidden="true">×</span>
        </button>
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

/** A form with a way out. */
export function FormDialog<Typed extends object>({
  title,
  onClose,
  ...form
}: Omit<FormWish<Typed>, 'beside' | 'layout'> & { readonly title: string; readonly onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} beside={<Button onPress={onClose}>Cancel</Button>} />
    </Dialog>
  );
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  children,
  submit,
  look = 'danger',
  onSend,
  onClose,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly submit: string;
  readonly look?: 'primary' | 'danger';
  /** Closes by itself where nothing is refused. */
  readonly onSend: () => Promise<Refusal | undefined>;
  readonly onClose: () => void;
}) {
  const send = async () => {
    const refusal = await onSend();
    if (refusal === undefined) onClose();
    return refusal;
  };
  return (
    <FormDialog title={title} submit={submit} look={look} first={{}} onSend={send} onClose={onClose}>
      {() => children}
    </FormDialog>
  );
}
