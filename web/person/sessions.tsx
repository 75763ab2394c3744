// Where a person is signed in, by device; each can be ended from here.

import { useState } from 'preact/hooks';
import { type Answer, ask, type Refusal } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { Answered, Notice } from '../components/notice.tsx';
import { Badge, Part } from '../components/parts.tsx';
import { Table } from '../components/table.tsx';
import { momentText, sinceText } from '../formats.ts';
import { useAsk } from '../use-ask.ts';

export function Sessions() {
  const asked = useAsk('GET /portal/sessions', {});
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined);
  const after = async (answer: Answer<'DELETE /portal/sessions' | 'DELETE /portal/sessions/:sessionId'>) => {
    setRefusal(answer.kind === 'refused' ? answer : undefined);
    if (answer.kind === 'told') await asked.again();
  };
  const endOthers = async () => after(await ask('DELETE /portal/sessions', {}));
  const hasOthers = asked.kind === 'told' && asked.told.sessions.length > 1;
  return (
    <Part
      title="Sessions"
      lead="Where you are signed in. End any session that you do not recognise, then change your password."
      {...(hasOthers ? { actions: <Button onPress={endOthers}>End all others</Button> } : {})}
    >
      <Answered of={asked}>
        {({ sessions }) => (
          <div class="stack">
            {refusal === undefined ? null : (
              <Notice tone="bad" title="The session has not ended">
                <p>{refusal.message}</p>
              </Notice>
            )}
            <Table
              caption="Your sessions"
              narrow="lines"
              page={10}
              rows={sessions}
              keyOf={({ sessionId }) => sessionId}
              columns={[
                {
                  title: 'Device',
                  kind: 'name',
                  cell: ({ device, isThisOne, address }) => (
                    <>
                      {device} {isThisOne ? <Badge tone="good">this one</Badge> : null}
                      <span class="under">{address}</span>
                    </>
                  ),
                },
                {
                  title: 'Last seen',
                  wordInLines: 'seen',
                  cell: ({ lastSeenAtMs }) => <span class="time">{sinceText(lastSeenAtMs)}</span>,
                },
                {
                  title: 'Signed in',
                  wordInLines: 'signed in',
                  cell: ({ createdAtMs }) => <span class="time">{momentText(createdAtMs)}</span>,
                },
                {
                  title: 'End it',
                  kind: 'actions',
                  inLines: 'beside the name',
                  cell: ({ sessionId, device, isThisOne }) =>
                    isThisOne ? null : (
                      <Button
                        size="small"
                        label={`End the session of ${device}`}
                        onPress={async () =>
                          after(await ask('DELETE /portal/sessions/:sessionId', { in: { sessionId } }))
                        }
                      >
                        End
                      </Button>
                    ),
                },
              ]}
            />
          </div>
        )}
      </Answered>
    </Part>
  );
}
