/** An e-mail as the text of an .eml file (RFC 5322), UTF-8 in base64. */
export function formatMail(mail: {
  deliveryId: string;
  to: string;
  subject: string;
  text: string;
  date: Date;
}): string {
  const body = Buffer.from(mail.text, 'utf8').toString('base64').replace(/.{76}/g, '$&\r\n');
  return [
    'From: clipctl <clipctl@localhost>',
    `To: <${mail.to.replace(/[\r\n<>]/g, '')}>`,
    `Subject: ${encodeWords(mail.subject)}`,
    `Date: ${mail.date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${mail.deliveryId}@clipctl.localhost>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    body,
    '',
  ].join('\r\n');
}

/** A header's text as encoded words of at most 75 characters, cut between whole characters. */
function encodeWords(text: string): string {
  const clean = text.replace(/[\r\n\t]+/g, ' ');
  if (/^[\x20-\x7e]{0,60}$/.test(clean) && !clean.includes('=?')) return clean;
  const words: string[] = [];
  let piece = '';
  for (const char of clean) {
    if (Buffer.byteLength(piece + char) > 42) {
      words.push(piece);
      piece = '';
    }
    piece += char;
  }
  words.push(piece);
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}
