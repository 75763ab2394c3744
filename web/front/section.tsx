// The front page: what this is, what it has loaded, and one call with its true answer.

import { useEffect, useState } from 'preact/hooks';
import { curlText } from '../api/call-text.ts';
import { wholeReplyOf } from '../api/whole-reply.ts';
import { LinkButton } from '../components/button.tsx';
import { Loading } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { Code, Part } from '../components/parts.tsx';
import { PricedPlans } from '../components/plan-prices.tsx';
import { sandboxKey, version } from '../document-facts.ts';
import { usePaying } from '../explore/paying.ts';
import { PlaceSearch } from '../explore/search.tsx';
import { useMe } from '../me.ts';
import { useAsk } from '../use-ask.ts';
import { LoadedData } from './loaded-data.tsx';

const call = '/api/v1/council-tax/lookup?postcode=ZZ1+1AA';

export function Section(_: { readonly path: string }) {
  return (
    <Page
      title="UK property data, over HTTP"
      lead="Council tax, crime, sold prices, area statistics, postcodes and Bank Rate, read from the files that official publishers put out, and answered as JSON or CSV."
      actions={<Ways />}
    >
      <Explore />
      <FirstCall />
      <Prices />
      <LoadedData />
      <footer class="foot">
        <ul>
          <li>Domesday {version}</li>
          <li>
            <a href="/docs">Documentation</a>
          </li>
          <li>
            <a href="/api/v1/openapi.json">OpenAPI</a>
          </li>
          <li>
            <a href="/docs/errors">Error codes</a>
          </li>
        </ul>
      </footer>
    </Page>
  );
}

function Ways() {
  const me = useMe();
  const isKnown = me.kind === 'told' && me.told.person !== null;
  const isOpen = me.kind === 'told' && me.told.signUp === 'open' && me.told.signInRefused === null;
  return (
    <>
      {isKnown ? (
        <LinkButton href="/account" look="primary">
          Open the dashboard
        </LinkButton>
      ) : (
        <LinkButton href={isOpen ? '/account/sign-up' : '/account/sign-in'} look="primary">
          {isOpen ? 'Sign up for a key' : 'Sign in'}
        </LinkButton>
      )}
      <LinkButton href="/docs">Read the documentation</LinkButton>
    </>
  );
}

/** Nothing is asked before somebody comes to the field. */
function Explore() {
  const [when, setWhen] = useState<'now' | 'later'>('later');
  const { paying } = usePaying(when);
  return (
    <section class="front-search">
      <PlaceSearch label="Look at a place" paying={paying} onWanted={() => setWhen('now')} />
      <p class="soft">
        What homes sold for, crime, council tax and the area, on one page. <a href="/explore">Explore</a>
      </p>
    </section>
  );
}

function Prices() {
  const asked = useAsk('GET /portal/plans', {});
  // A front page has more to say than that a price could not be read.
  if (asked.kind !== 'told') return null;
  const priced = asked.told.plans.filter(({ price }) => price !== null);
  return priced.length === 0 ? null : (
    <Part title="Plans" lead="One credit pays for one call that has an answer.">
      <PricedPlans plans={priced} />
    </Part>
  );
}

type Reply =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'came'; readonly line: string; readonly body: string }
  | { readonly kind: 'none' };

function FirstCall() {
  const [reply, setReply] = useState<Reply>({ kind: 'waiting' });
  useEffect(() => {
    if (sandboxKey !== undefined) void makeCall(sandboxKey).then(setReply);
  }, []);
  return (
    <Part
      title="One call"
      lead={
        sandboxKey === undefined
          ? 'Put your key into DOMESDAY_KEY.'
          : 'The key in it is public and free; it answers from a made-up town. Your own key answers from the real data.'
      }
    >
      <div class="stack">
        <Code text={curlText(call, sandboxKey)} label="A call with curl" copy="the call" />
        {sandboxKey === undefined ? null : <ReplyShown reply={reply} />}
      </div>
    </Part>
  );
}

function ReplyShown({ reply }: { readonly reply: Reply }) {
  switch (reply.kind) {
    case 'waiting':
      return (
        <div class="answer">
          <Loading lines={8} what="Loading the answer" />
        </div>
      );
    case 'came':
      return (
        <div class="answer">
          <p class="answer-line">{reply.line}</p>
          <Code text={reply.body} label="The answer" />
        </div>
      );
    case 'none':
      return <p class="soft answer">The service did not answer. The call above will show why.</p>;
  }
}

async function makeCall(key: string): Promise<Reply> {
  const reply = await wholeReplyOf(call, key);
  if (reply.kind === 'refused') return { kind: 'none' };
  const { status, statusText, milliseconds, body } = reply;
  const line = `${status} ${statusText}, answered in ${Math.round(milliseconds)}\u00a0ms`;
  return { kind: 'came', line, body };
}
