// Links in mails carry their token behind a #, which browsers send to nobody: it reaches no log and no other site.

import { useEffect, useState } from 'preact/hooks';

/** Out of the address at once, so that it does not stay in the history. */
function takeToken(): string {
  const found = location.hash.slice(1);
  if (found !== '') history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return found;
}

/** Empty where the link had none. A link that is opened where its page is shown already counts too. */
export function useLinkToken(): string {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    const look = () => setToken((known) => takeToken() || known);
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return token;
}
