/** Members of bodies whose value is a secret by itself: addresses that work without a key, and keys. */
const SECRET_MEMBERS = new Set(['url', 'location', 'uriForExport', 'apiKey', 'token', 'dnsUrl']);
const SHOWN_CHARS = 4000;

/** What may be shown of a key: its last four characters. */
export function lastFourOf(secret: string): string {
  return secret.length > 8 ? `…${secret.slice(-4)}` : '…';
}

/** A JSON body with its secret members blanked; other text is only shortened. */
export function redactBody(body: string): string {
  let shown = body;
  try {
    shown = JSON.stringify(JSON.parse(body), (name, value) =>
      SECRET_MEMBERS.has(name) && typeof value === 'string' ? '[redacted]' : value,
    );
  } catch {
    // Not JSON: nothing in it is known to be secret.
  }
  return shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}… (${body.length} characters)` : shown;
}
