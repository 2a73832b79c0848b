import { createTransport } from 'nodemailer';
import { messageOf } from '../../errors.js';
import { ReceiverRefusal } from './receiver-refusal.js';
import type { SmtpSettings } from './smtp-settings.js';

export interface Mail {
  deliveryId: string;
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
  date: Date;
}

/** A server that takes longer than this for one step, or for a whole mail, has failed and is tried again. */
const STEP_MS = 15_000;
const MAIL_MS = 60_000;

/** Of mails that are only written. */
const LOCAL_FROM = 'clipctl@localhost';

/** An e-mail as the text of an .eml file (RFC 5322), in ASCII. */
export async function composeMail(mail: Mail): Promise<string> {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const { message } = await composer.sendMail(partsOf(mail, LOCAL_FROM));
  return message.toString();
}

/**
 * Sends an e-mail. Answers the SMTP status with which the server took it.
 * @throws ReceiverRefusal when the server refuses, for good with a 5xx; any error when it cannot be reached or trusted.
 * No message holds the password, whatever the server said.
 */
export async function sendMail(mail: Mail, smtp: SmtpSettings, signal: AbortSignal): Promise<number> {
  const server = createTransport({
    requireTLS: smtp.requireTls,
    dnsTimeout: STEP_MS,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    url: smtp.url,
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAIL_MS)]);
  try {
    const { response } = await server.sendMail({ ...partsOf(mail, smtp.from), signal: limit });
    return Number.parseInt(response, 10);
  } catch (error) {
    const words = withoutSecrets(`the mail server: ${messageOf(error)}`, smtp.secrets);
    const status = statusOf(error);
    if (status === undefined) throw new Error(words);
    throw new ReceiverRefusal(words, { status, isFinal: status >= 500 });
  }
}

/** The address is given as an address, not as text to be parsed: a comma in it makes no second receiver. */
function partsOf({ deliveryId, to, subject, text, date }: Mail, from: string) {
  return {
    from: { name: 'clipctl', address: from },
    to: { name: '', address: to },
    subject: subject.replace(/\p{Cc}+/gu, ' '),
    text,
    date,
    // The same at every try, so that a mailbox can tell that it has the mail already.
    messageId: `<${deliveryId}@${from.slice(from.lastIndexOf('@') + 1)}>`,
  };
}

function statusOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined;
  return typeof code === 'number' ? code : undefined;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
}
