// The second factor: an authenticator app is shown a secret as a QR code and as text, then proves that it has it.

import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import { ask } from '../ask.ts';
import { Button, CopyButton } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field, Form } from '../components/form.tsx';
import { Notice } from '../components/notice.tsx';
import { Badge, Part } from '../components/parts.tsx';
import { countText } from '../formats.ts';
import { noProof, ProofFields } from './proof-fields.tsx';
import type { SettingsOf } from './settings-of.ts';

type Step =
  | { readonly kind: 'closed' }
  | { readonly kind: 'password' }
  | { readonly kind: 'code'; readonly secret: string; readonly uri: string }
  | { readonly kind: 'recovery codes'; readonly codes: readonly string[] }
  | { readonly kind: 'switch off' };

export function SecondFactor({ person, again }: SettingsOf) {
  const [step, setStep] = useState<Step>({ kind: 'closed' });
  const isOn = person.secondFactor === 'totp';
  const close = () => setStep({ kind: 'closed' });
  return (
    <Part
      title="Second factor"
      lead="After the password, you also type a code from an app on your phone. Somebody who knows only your password cannot sign in."
    >
      <div class="stack">
        <p>
          {isOn ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}{' '}
          {isOn ? `${countText(person.recoveryCodesLeft, 'recovery code')} left` : null}
        </p>
        {isOn && person.recoveryCodesLeft < 3 ? (
          <Notice tone="warning">
            <p>Few recovery codes are left. Switch the second factor off and on again to get new ones.</p>
          </Notice>
        ) : null}
        <p>
          {isOn ? (
            <Button onPress={() => setStep({ kind: 'switch off' })}>Switch it off</Button>
          ) : (
            <Button onPress={() => setStep({ kind: 'password' })}>Set it up</Button>
          )}
        </p>
      </div>
      <StepDialog step={step} onStep={setStep} onClose={close} again={again} />
    </Part>
  );
}

type StepWish = {
  readonly step: Step;
  readonly onStep: (step: Step) => void;
  readonly onClose: () => void;
  readonly again: () => Promise<void>;
};

function StepDialog({ step, onStep, onClose, again }: StepWish) {
  switch (step.kind) {
    case 'closed':
      return null;
    case 'password':
      return (
        <Dialog key="set-up" title="Set up a second factor" onClose={onClose}>
          <AskPassword onStep={onStep} />
        </Dialog>
      );
    case 'code':
      return (
        <Dialog key="set-up" title="Set up a second factor" onClose={onClose}>
          <Enrol
            secret={step.secret}
            uri={step.uri}
            onCodes={async (codes) => {
              onStep({ kind: 'recovery codes', codes });
              await again();
            }}
          />
        </Dialog>
      );
    case 'recovery codes':
      return (
        <Dialog key="codes" title="Your recovery codes" onClose={onClose}>
          <RecoveryCodes codes={step.codes} onClose={onClose} />
        </Dialog>
      );
    case 'switch off':
      return (
        <Dialog key="off" title="Switch off the second factor" onClose={onClose}>
          <SwitchOff
            onDone={async () => {
              onClose();
              await again();
            }}
          />
        </Dialog>
      );
  }
}

function AskPassword({ onStep }: { readonly onStep: (step: Step) => void }) {
  return (
    <Form
      submit="Go on"
      first={noProof}
      onSend={({ password }) => ask('POST /portal/totp/begin', { takes: { password } })}
      onDone={(told) => onStep({ kind: 'code', ...told })}
    >
      {(field) => <ProofFields field={field} factor="none" />}
    </Form>
  );
}

type EnrolWish = {
  readonly secret: string;
  readonly uri: string;
  readonly onCodes: (codes: readonly string[]) => Promise<void>;
};

function Enrol({ secret, uri, onCodes }: EnrolWish) {
  return (
    <Form
      submit="Switch it on"
      first={{ code: '' }}
      onSend={({ code }) => ask('POST /portal/totp/confirm', { takes: { code } })}
      onDone={(told) => onCodes(told.recoveryCodes)}
    >
      {(field) => (
        <>
          <p>Scan this with an authenticator app, then type the six digits that it shows.</p>
          <QrCode text={uri} />
          <p class="secret">
            <span class="soft">Cannot scan? Type this into the app:</span>{' '}
            <code>{secret.replace(/(.{4})/g, '$1 ')}</code> <CopyButton text={secret} what="the secret" />
          </p>
          <Field
            label="Six digits"
            inputmode="numeric"
            autocomplete="one-time-code"
            required
            {...field('code')}
          />
        </>
      )}
    </Form>
  );
}

/** Dark on light in either colour scheme: many apps read nothing else. */
function QrCode({ text }: { readonly text: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 3 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code with the secret"
      shape-rendering="crispEdges"
    >
      <path class="qr-light" d={`M0 0h${size}v${size}H0z`} />
      <path d={dark.join('')} />
    </svg>
  );
}

function RecoveryCodes({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) {
  return (
    <>
      <p>
        The second factor is on. If you do not have your phone, each of these codes signs you in once. Save
        them where you keep your passwords. This is the only time they are shown.
      </p>
      <ul class="recovery">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="form-end">
        <CopyButton text={codes.join('\n')} what="the recovery codes" />
        <Button look="primary" onPress={onClose}>
          I have saved them
        </Button>
      </div>
    </>
  );
}

function SwitchOff({ onDone }: { readonly onDone: () => Promise<void> }) {
  return (
    <Form
      submit="Switch it off"
      look="danger"
      first={noProof}
      onSend={(takes) => ask('DELETE /portal/totp', { takes })}
      onDone={onDone}
    >
      {(field) => <ProofFields field={field} factor="totp" />}
    </Form>
  );
}
