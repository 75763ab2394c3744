// What a page says beside its content: a notice, an error with what to do, that there is nothing yet, that it is being fetched.

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RouteName } from '../../src/portal/routes.ts';
import type { Refusal, Told } from '../ask.ts';
import { goAndSignIn } from '../router.ts';
import type { Asked } from '../use-ask.ts';
import { Button } from './button.tsx';

type NoticeWish = {
  readonly tone: 'info' | 'good' | 'warning' | 'bad';
  readonly title?: string;
  readonly children?: ComponentChildren;
};

/** `bad` and `good` come after something the reader did, and are read out. */
export function Notice({ tone, title, children }: NoticeWish) {
  const role = tone === 'bad' ? 'alert' : tone === 'good' ? 'status' : undefined;
  return (
    <div class={`notice ${tone}`} role={role}>
      {title === undefined ? null : <p class="notice-title">{title}</p>}
      {children === undefined ? null : <div class="notice-text">{children}</div>}
    </div>
  );
}

/** For what could not be fetched. */
export function ErrorPanel({
  refusal,
  again,
}: {
  readonly refusal: Pick<Refusal, 'message'> & { readonly code: string };
  readonly again: () => Promise<void>;
}) {
  return (
    <Notice tone="bad" title={titles[refusal.code] ?? 'This did not work'}>
      <p>{refusal.message}</p>
      {refusal.code === 'NOT_FOUND' || refusal.code === 'NOT_ALLOWED' ? null : (
        <p>
          <Button size="small" onPress={again}>
            Try again
          </Button>
        </p>
      )}
    </Notice>
  );
}

const titles: Readonly<Record<string, string>> = {
  UNREACHABLE: 'No answer',
  NOT_FOUND: 'Not found',
  NOT_ALLOWED: 'Not allowed',
  TOO_MANY: 'Too many tries',
  UNAVAILABLE: 'Not available at the moment',
} satisfies Partial<Record<Refusal['code'], string>>;

/** Nothing is there yet: says what would be, and what to do. */
export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <div class="empty-text">{children}</div>}
      {action === undefined ? null : <div class="empty-action">{action}</div>}
    </div>
  );
}

/** `what`: "Loading Crime". */
export function Loading({
  lines = 4,
  what = 'Loading',
}: {
  readonly lines?: number;
  readonly what?: string;
}) {
  return <Placeholder state="loading" words={`${what}…`} lines={lines} />;
}

/** Takes the room of what will come, so that nothing jumps. Its words are read where they stand: several on a page would interrupt
 *  each other. */
export function Placeholder({
  state,
  words,
  lines,
}: {
  readonly state: 'loading' | 'waiting';
  readonly words: string;
  /** The first has the words. */
  readonly lines: number;
}) {
  return (
    <div class={state}>
      <p class="loading-words">{words}</p>
      {Array.from({ length: lines - 1 }, (_, at) => (
        <span class="loading-line" key={at} />
      ))}
    </div>
  );
}

/** Shows what was told; until then its room, or why it is not there. Whoever is not signed in is led to the sign-in. */
export function Answered<R extends RouteName>({
  of,
  lines,
  children,
}: {
  readonly of: Asked<R>;
  readonly lines?: number;
  readonly children: (told: Told<R>) => ComponentChildren;
}) {
  const isSignedOut = of.kind === 'refused' && of.code === 'SIGN_IN';
  useEffect(() => {
    if (isSignedOut) goAndSignIn();
  }, [isSignedOut]);
  if (of.kind === 'told') return <>{children(of.told)}</>;
  if (of.kind === 'loading' || isSignedOut) return <Loading {...(lines === undefined ? {} : { lines })} />;
  return <ErrorPanel refusal={of} again={of.again} />;
}
