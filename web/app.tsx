// The pages of Domesday in the browser. Each section is fetched when somebody goes there.

import { type ComponentType, render } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { askMe } from './ask-me.ts';
import { Button } from './components/button.tsx';
import { Loading, Notice } from './components/notice.tsx';
import { Page } from './components/page.tsx';
import { MeContext } from './me.ts';
import { isOfPerson } from './person/paths.ts';
import { followLinks, usePath } from './router.ts';
import { useAnswer } from './use-ask.ts';

type Section = ComponentType<{ readonly path: string }>;
type Load = () => Promise<{ readonly Section: Section }>;

/** The first that fits. */
const sections: readonly (readonly [fits: (path: string) => boolean, load: Load])[] = [
  [(path) => path === '/', () => import('./front/section.tsx')],
  [(path) => /^\/explore(?:\/|$)/.test(path), () => import('./explore/section.tsx')],
  [(path) => isOfPerson(path), () => import('./person/section.tsx')],
  [(path) => path.startsWith('/account'), () => import('./account/section.tsx')],
  [(path) => path.startsWith('/admin'), () => import('./admin/section.tsx')],
];

type Shown =
  | { readonly kind: 'loading' }
  | { readonly kind: 'section'; readonly Section: Section; readonly path: string }
  | { readonly kind: 'lost' };

function App() {
  const path = usePath();
  const me = useAnswer<'GET /portal/me'>('me', askMe);
  const [shown, setShown] = useState<Shown>({ kind: 'loading' });
  useLayoutEffect(() => {
    let isLeft = false;
    const load = sections.find(([fits]) => fits(path))?.[1];
    // After an update the service has files by other names than this document knows.
    load?.().then(
      ({ Section }) => isLeft || setShown({ kind: 'section', Section, path }),
      () => isLeft || setShown({ kind: 'lost' }),
    );
    return () => {
      isLeft = true;
    };
  }, [path]);
  return <MeContext.Provider value={me}>{content(shown)}</MeContext.Provider>;
}

function content(shown: Shown) {
  switch (shown.kind) {
    case 'loading':
      return (
        <div class="sheet sheet-wide">
          <Loading lines={6} />
        </div>
      );
    case 'section':
      return <shown.Section path={shown.path} />;
    case 'lost':
      return (
        <Page title="This page could not be loaded" width="narrow">
          <Notice tone="warning">
            <p>The service may have been updated, or the connection was lost.</p>
            <p>
              <Button look="primary" onPress={() => location.reload()}>
                Load the page again
              </Button>
            </p>
          </Notice>
        </Page>
      );
  }
}

followLinks();
const place = document.getElementById('app');
if (place === null) throw new Error('The document has no place for the pages.');
render(<App />, place);
