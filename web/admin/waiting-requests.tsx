// Plan changes that wait for an answer: asked on every page of the operator, since the navigation shows how many there are.

import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { type Asked, useAsk } from '../use-ask.ts';

const WaitingContext = createContext<Asked<'GET /portal/admin/plan-requests'>>({
  kind: 'loading',
  again: async () => {},
});

export const useWaitingRequests = (): Asked<'GET /portal/admin/plan-requests'> => useContext(WaitingContext);

export function WaitingRequests({
  path,
  children,
}: {
  readonly path: string;
  readonly children: ComponentChildren;
}) {
  const asked = useAsk('GET /portal/admin/plan-requests', {});
  const askedOn = useRef(path);
  useEffect(() => {
    if (askedOn.current === path) return;
    askedOn.current = path;
    void asked.again();
  }, [path, asked.again]);
  return <WaitingContext.Provider value={asked}>{children}</WaitingContext.Provider>;
}
