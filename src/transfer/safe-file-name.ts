/** Names of devices on Windows, whatever extension they have. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** File systems allow 255 bytes; the rest is for what is added while a file is made. */
const LONGEST_NAME_BYTES = 200;

/**
 * A file name made of text from elsewhere: one component, on every system, never hidden, never empty. The extension
 * survives when a name is cut.
 */
export function safeFileName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g, '_')
    .replace(/^[.\s]+/, '')
    .replace(/[.\s]+$/, '');
  const named = plain === '' ? 'file' : RESERVED.test(plain) ? `_${plain}` : plain;
  const extension = /\.[^.]{1,10}$/.exec(named)?.[0] ?? '';
  const stem = named.slice(0, named.length - extension.length);
  return cutToBytes(stem, LONGEST_NAME_BYTES - Buffer.byteLength(extension)) + extension;
}

/** Names for several files in one folder: a name that is taken gets a number, `talk (2).mp4`. Case does not tell. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const safe = safeFileName(name);
    const extension = /\.[^.]*$/.exec(safe)?.[0] ?? '';
    const stem = safe.slice(0, safe.length - extension.length);
    let distinct = safe;
    for (let number = 2; taken.has(distinct.toLowerCase()); number++)
      distinct = `${stem} (${number})${extension}`;
    taken.add(distinct.toLowerCase());
    return distinct;
  });
}

function cutToBytes(text: string, bytes: number): string {
  let cut = '';
  let length = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    cut += character;
  }
  return cut;
}
