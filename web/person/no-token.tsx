// A page that is the end of a link was opened without one.

import { Notice } from '../components/notice.tsx';

export function NoToken() {
  return (
    <Notice tone="warning" title="The link is not whole">
      <p>Open it from the mail again, or copy all of it into the address line.</p>
    </Notice>
  );
}
