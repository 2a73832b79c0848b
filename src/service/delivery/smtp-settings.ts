import { hostname } from 'node:os';
import { usageError } from '../../errors.js';
import { isMailAddress } from './mail-address.js';

export const SMTP_URL_VARIABLE = 'CLIPCTL_SMTP_URL';
const SMTP_FROM_VARIABLE = 'CLIPCTL_SMTP_FROM';

/** What the query may tell nodemailer, by its own names. Others are refused: it would ignore a mistyped one silently. */
const PARAMETERS: readonly string[] = [
  'requireTLS',
  'ignoreTLS',
  'opportunisticTLS',
  'tls.rejectUnauthorized',
  'tls.servername',
  'name',
  'authMethod',
];
/** With one of these the address itself says how it is to be with TLS. */
const TLS_PARAMETERS = ['requireTLS', 'ignoreTLS', 'opportunisticTLS'] as const;

/** Mail to this machine does not leave it. */
const THIS_MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** The server that e-mails go out by. */
export interface SmtpSettings {
  /** smtp: or smtps: address with user and password. Never to be shown. */
  url: string;
  /** Address of the sender. */
  from: string;
  /** Nothing is said before the connection is encrypted. */
  requireTls: boolean;
  /** The password in the forms in which a server may repeat it. */
  secrets: readonly string[];
}

/**
 * Reads CLIPCTL_SMTP_URL and CLIPCTL_SMTP_FROM; undefined when the first is not set.
 * @throws ClipctlError `usage`, in words without the password.
 */
export function readSmtpSettings(env: Record<string, string | undefined>): SmtpSettings | undefined {
  const text = env[SMTP_URL_VARIABLE];
  if (!text) return undefined;
  if (!URL.canParse(text)) throw refuse('it is no address');
  const url = new URL(text);
  checkParts(url);
  const [user, password] = [decode(url.username), decode(url.password)];
  const from = env[SMTP_FROM_VARIABLE] || (isMailAddress(user) ? user : `clipctl@${hostname()}`);
  if (!isMailAddress(from)) {
    throw usageError(`${SMTP_FROM_VARIABLE} ${JSON.stringify(from)} is no e-mail address`, {
      hint: 'write it like clips@example.com',
    });
  }
  const saysItself = TLS_PARAMETERS.some((name) => url.searchParams.has(name));
  return {
    url: text,
    from,
    requireTls: password !== '' && !THIS_MACHINE.test(url.hostname) && !saysItself,
    secrets: secretsOf(user, password, url.password),
  };
}

function checkParts(url: URL): void {
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')
    throw refuse('it begins neither with smtp:// nor with smtps://');
  if (url.hostname === '') throw refuse('it names no host');
  if ((url.username === '') !== (url.password === ''))
    throw refuse('it has only one of user name and password');
  if (url.pathname.length > 1 || url.hash) throw refuse('there is something after the host');
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw refuse(`${JSON.stringify(unknown)} after the ? is none of ${PARAMETERS.join(', ')}`);
  }
}

function refuse(reason: string): Error {
  return usageError(`${SMTP_URL_VARIABLE} cannot be used`, {
    reason,
    hint:
      'write it like smtp://user:password@smtp.example.com:587 or smtps://…\n' +
      'characters such as @ / : in the password are written %40 %2F %3A',
  });
}

function secretsOf(user: string, password: string, written: string): string[] {
  if (password === '') return [];
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [base64(`\0${user}\0${password}`), base64(password), password, written];
}

/** As nodemailer does it: a % that begins no escape stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
