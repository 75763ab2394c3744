// One notice for all that waits because the service answers so many calls in a while.

import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { countText, sinceText } from '../../formats.ts';
import { useMe } from '../../me.ts';
import { askAllAgain, useLimit } from './limit.ts';

/** Always there, so that what comes into it is read out; the seconds are not. */
export function LimitNotice() {
  const limit = useLimit();
  return (
    <div class="limit" role="status">
      {limit === undefined ? null : limit.ends === 'soon' ? (
        <Notice tone="warning" title="Too many requests just now">
          <p>
            This service answers only so many requests a minute.{' '}
            <span role="timer" aria-live="off">
              {limit.secondsLeft === 0
                ? 'Trying again…'
                : `The rest of this page follows in ${countText(limit.secondsLeft, 'second')}.`}
            </span>
          </p>
        </Notice>
      ) : (
        <Notice tone="warning" title="No more answers for now">
          <p>
            This service answers only so many requests in a while, and these are used up. It answers again{' '}
            {sinceText(limit.untilMs)}. <SignIn />
          </p>
          <p>
            <Button size="small" onPress={askAllAgain}>
              Try again
            </Button>
          </p>
        </Notice>
      )}
    </div>
  );
}

function SignIn() {
  const me = useMe();
  if (me.kind !== 'told' || me.told.person !== null) return null;
  return (
    <>
      <a href="/account/sign-in">Sign in</a> to go on with credits of your own.
    </>
  );
}
