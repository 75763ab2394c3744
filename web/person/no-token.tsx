// A page that is the end of a link was opened without one.

import { Notice } from '../components/notice.tsx';

export function NoToken() {
  return (
    <Notice tone="warning" title="The link is incomplete">
      <p>Open it from the e-mail again, or copy the whole link into the address bar.</p>
      <p>
        <a href="/account/sign-in">Sign in</a> · <a href="/account/sign-up">Sign up</a>
      </p>
    </Notice>
  );
}
