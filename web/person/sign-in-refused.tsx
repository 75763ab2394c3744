// Where nobody can sign in, because what they type could be read on the way.

import { Notice } from '../components/notice.tsx';

export function SignInRefused({ because }: { readonly because: string }) {
  return (
    <Notice tone="warning" title="Nobody can sign in here">
      <p>{because}</p>
    </Notice>
  );
}
