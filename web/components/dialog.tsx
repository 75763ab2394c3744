// A question or a form above the page: the browser's own dialog, which keeps the focus and closes by Escape.

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, type ButtonWish } from './button.tsx';
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

/** A button, and the dialog that it opens. */
export function DialogButton({
  words,
  children,
  ...button
}: Pick<ButtonWish, 'look' | 'size'> & {
  readonly words: string;
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const [state, setState] = useState<'closed' | 'open'>('closed');
  return (
    <>
      <Button {...button} onPress={() => setState('open')}>
        {words}
      </Button>
      {state === 'closed' ? null : children(() => setState('closed'))}
    </>
  );
}

/** A form with a way out. */
export function FormDialog<Typed extends object, Told>({
  title,
  onClose,
  ...form
}: Omit<FormWish<Typed, Told>, 'beside' | 'layout'> & {
  readonly title: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} beside={<Button onPress={onClose}>Cancel</Button>} />
    </Dialog>
  );
}

/** Asks before something that cannot be taken back. Closes by itself where nothing is refused. */
export function Confirm<Told>({
  children,
  look = 'danger',
  onDone,
  ...form
}: Pick<FormWish<object, Told>, 'submit' | 'look' | 'onSend' | 'onDone'> & {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}) {
  const done = async (told: Told) => {
    await onDone(told, {});
    form.onClose();
  };
  return (
    <FormDialog {...form} look={look} first={{}} onDone={done}>
      {() => children}
    </FormDialog>
  );
}
