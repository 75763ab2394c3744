// Buttons. While a press is being worked on, the button says so and takes no second one.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type Look = 'primary' | 'plain' | 'danger';

export type ButtonWish = {
  readonly children: ComponentChildren;
  readonly look?: Look;
  readonly size?: 'usual' | 'small';
  readonly onPress: () => void | Promise<void>;
  readonly disabled?: boolean;
  /** For whoever hears it, where the words alone would be the same for several buttons. */
  readonly label?: string;
};

export function Button({ children, look = 'plain', size = 'usual', onPress, disabled, label }: ButtonWish) {
  const [work, setWork] = useState<'none' | 'going on'>('none');
  return (
    <button
      type="button"
      class={`button ${look} ${size}`}
      disabled={disabled ?? false}
      aria-busy={work === 'going on'}
      aria-label={label}
      onClick={async () => {
        if (work === 'going on') return;
        setWork('going on');
        await onPress();
        setWork('none');
      }}
    >
      {children}
    </button>
  );
}

/** At the end of a form. */
export function SubmitButton({
  children,
  look = 'primary',
  busy,
}: {
  readonly children: ComponentChildren;
  readonly look?: Look;
  readonly busy: boolean;
}) {
  return (
    <button type="submit" class={`button ${look} usual`} aria-busy={busy}>
      {children}
    </button>
  );
}

/** A link that looks like a button: it leads somewhere. `file`: it is saved, not shown. */
export function LinkButton({
  href,
  children,
  look = 'plain',
  size = 'usual',
  file,
}: {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly look?: Look;
  readonly size?: 'usual' | 'small';
  readonly file?: string;
}) {
  return (
    <a class={`button ${look} ${size}`} href={href} {...(file === undefined ? {} : { download: file })}>
      {children}
    </a>
  );
}

/** Says for two seconds that it worked; where the browser forbids it, what to do instead. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'forbidden'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const words = { idle: 'Copy', copied: 'Copied', forbidden: 'Select and copy it by hand' };
  return (
    <>
      <button
        type="button"
        class="button plain small copy"
        aria-label={`Copy ${what}`}
        onClick={() =>
          navigator.clipboard.writeText(text).then(
            () => setState('copied'),
            () => setState('forbidden'),
          )
        }
      >
        {words[state]}
      </button>
      <span class="unseen" role="status">
        {state === 'idle' ? '' : words[state]}
      </span>
    </>
  );
}
