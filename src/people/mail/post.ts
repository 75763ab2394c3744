// A mail server, spoken to by nodemailer, which is loaded for the first mail and no sooner.

import { errorCode } from '../../errno.ts';
import { minuteMs } from '../../time.ts';

type Letter = { readonly to: string; readonly subject: string; readonly text: string };

/** `reason` has neither the address nor anything that a server made up at length. */
type Sent = { readonly kind: 'sent' } | { readonly kind: 'refused' | 'try again'; readonly reason: string };

export interface Post {
  /** `stop`: the service ends, and waits for no mail server. */
  send(letter: Letter, stop: AbortSignal): Promise<Sent>;
}

/** Who stands between could strike the offer of TLS from what the server says: to another machine nothing goes in the clear unless
 *  the operator says so. */
function isTlsNeeded(smtpUrl: string): boolean {
  const { hostname, searchParams } = new URL(smtpUrl);
  return (
    !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) && searchParams.get('ignoreTLS') !== 'true'
  );
}

const noTls =
  'ETLS: it offers no encryption; use smtps://, or within your own network add ?ignoreTLS=true to SMTP_URL';

/** Of every step; and of one mail in all. */
const stepMostMs = 10_000;
const sendMostMs = minuteMs;

export function smtpPost({
  smtpUrl,
  from,
  stepMs = stepMostMs,
}: {
  readonly smtpUrl: string;
  readonly from: string;
  readonly stepMs?: number;
}): Post {
  return {
    async send({ to, subject, text }, stop) {
      const { createTransport } = await import('nodemailer');
      // A connection for each mail: there are few, and none is kept open for hours.
      const transport = createTransport({
        url: smtpUrl,
        connectionTimeout: stepMs,
        greetingTimeout: stepMs,
        socketTimeout: stepMs,
        dnsTimeout: stepMs,
        requireTLS: isTlsNeeded(smtpUrl),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      const given = Promise.withResolvers<never>();
      const limit = AbortSignal.any([stop, AbortSignal.timeout(sendMostMs)]);
      const giveUp = () => given.reject(limit.reason);
      limit.addEventListener('abort', giveUp);
      if (limit.aborted) giveUp();
      try {
        const headers = { 'Auto-Submitted': 'auto-generated' };
        const mail = { from, to: { name: '', address: to }, subject, text, headers };
        await Promise.race([transport.sendMail(mail), given.promise]);
        return { kind: 'sent' };
      } catch (error) {
        return failureOf(error);
      } finally {
        limit.removeEventListener('abort', giveUp);
        transport.close();
      }
    },
  };
}

/** 5xx is the server's last word on this mail, unless it is about who we are. */
function failureOf(error: unknown): Sent {
  const status = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : undefined;
  const code = errorCode(error) ?? 'no answer';
  const isFinal = status !== undefined && status >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  return {
    kind: isFinal ? 'refused' : 'try again',
    reason: code === 'ETLS' ? noTls : status === undefined ? code : `${code} ${status}`,
  };
}
