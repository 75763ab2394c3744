// Where a person is signed in, by device; each can be ended from here.

import { ask } from '../ask.ts';
import { Button } from '../components/button.tsx';
import { Answered } from '../components/notice.tsx';
import { Badge, Part } from '../components/parts.tsx';
import { Table } from '../components/table.tsx';
import { momentText, sinceText } from '../formats.ts';
import { useAsk } from '../use-ask.ts';

export function Sessions() {
  const asked = useAsk('GET /portal/sessions', {});
  const endOthers = async () => {
    await ask('DELETE /portal/sessions', {});
    await asked.again();
  };
  const hasOthers = asked.kind === 'told' && asked.told.sessions.length > 1;
  return (
    <Part
      title="Sessions"
      lead="Where you are signed in. End any session that you do not recognise, then change your password."
      {...(hasOthers ? { actions: <Button onPress={endOthers}>End all others</Button> } : {})}
    >
      <Answered of={asked}>
        {({ sessions }) => (
          <Table
            caption="Your sessions"
            narrow="cards"
            rows={sessions}
            keyOf={({ sessionId }) => sessionId}
            columns={[
              {
                title: 'Device',
                kind: 'name',
                cell: ({ device, isThisOne }) => (
                  <>
                    {device} {isThisOne ? <Badge tone="good">this one</Badge> : null}
                  </>
                ),
              },
              { title: 'Address', cell: ({ address }) => address },
              { title: 'Last seen', cell: ({ lastSeenAtMs }) => sinceText(lastSeenAtMs) },
              { title: 'Signed in', cell: ({ createdAtMs }) => momentText(createdAtMs) },
              {
                title: 'End it',
                kind: 'actions',
                cell: ({ sessionId, device, isThisOne }) =>
                  isThisOne ? null : (
                    <Button
                      size="small"
                      label={`End the session of ${device}`}
                      onPress={async () => {
                        await ask('DELETE /portal/sessions/:sessionId', { in: { sessionId } });
                        await asked.again();
                      }}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Answered>
    </Part>
  );
}
